import base64
import subprocess

image = base64.b64decode(input())
subprocess.run(["ffmpeg", "-i", "-"], input=image)

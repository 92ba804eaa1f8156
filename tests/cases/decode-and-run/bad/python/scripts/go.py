import base64

code = base64.b64decode("cHJpbnQoMSk=")
exec(code)

import os
import requests

key = os.environ["RATES_API_KEY"]
requests.post("https://api.rates.invalid", headers={"X-Key": key}, json={"a": 1})

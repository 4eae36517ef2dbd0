"""Exits with 0 when the RESTful server answers, and with 1 when its process has ended: restful-answers.py URL PROCESS.
It doesn't check the certificate: clients do."""

import http.client
import os
import ssl
import sys
import time
import urllib.request


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def main(url: str, process: int) -> int:
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting))
    while lives(process):
        try:
            direct.open(url, timeout=5).close()
            return 0
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
    return 1


sys.exit(main(sys.argv[1], int(sys.argv[2])))

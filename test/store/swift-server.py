"""OpenStack Swift with its S3 interface, in one process on its own port, for tests.

    python3 swift-server.py FOLDER CERTIFICATE KEY

Stores all data in FOLDER, prints its port on a line, and exits when its standard input is closed.
The account is `test`, the user is `tester`, and the secret key is `testing`. In S3, the access key is `test:tester`.
"""

import os
import sys

import eventlet

eventlet.monkey_patch()

from array import array

from eventlet import tpool, wsgi
from eventlet.green import ssl
from swift.common import utils

folder, certificate, key = sys.argv[1:4]

with open(os.path.join(folder, "swift.conf"), "w") as conf:
    conf.write("[swift-hash]\nswift_hash_path_suffix = tests\nswift_hash_path_prefix = tests\n")
utils.set_swift_dir(folder)

from swift.account.server import AccountController
from swift.common.ring.ring import RingData
from swift.common.wsgi import loadapp
from swift.container.server import ContainerController
from swift.obj.server import ObjectController

PROXY = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = eu-west-2
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
"""


class Cache:
    """Replaces memcached for tempauth and the proxy."""

    def __init__(self):
        self.values = {}

    def get(self, key, *_, **__):
        return self.values.get(key)

    def set(self, key, value, *_, **__):
        self.values[key] = value

    def delete(self, key, *_, **__):
        self.values.pop(key, None)


def with_cache(app):
    cache = Cache()

    def cached(environ, start_response):
        environ["swift.cache"] = cache
        return app(environ, start_response)

    return cached


def serve(app, socket):
    eventlet.spawn(wsgi.server, socket, app, log_output=False)


def storage(kind, controller):
    """Starts a storage server of one kind with its own device, and saves the ring that contains the device."""
    os.makedirs(os.path.join(folder, "devices", "sda", "tmp"), exist_ok=True)
    settings = {"devices": os.path.join(folder, "devices"), "swift_dir": folder, "mount_check": "false", "workers": "0"}
    socket = eventlet.listen(("127.0.0.1", 0))
    port = socket.getsockname()[1]
    device = {"id": 0, "zone": 0, "device": "sda", "ip": "127.0.0.1", "port": port, "weight": 1.0,
              "replication_ip": "127.0.0.1", "replication_port": port}
    RingData([array("H", [0, 0])], [device], 31).save(os.path.join(folder, kind + ".ring.gz"))
    serve(controller(settings), socket)


storage("account", AccountController)
storage("container", ContainerController)
storage("object", ObjectController)

configuration = os.path.join(folder, "proxy-server.conf")
with open(configuration, "w") as conf:
    conf.write(PROXY.format(folder=folder))
listener = eventlet.listen(("127.0.0.1", 0))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
proxy = with_cache(loadapp(configuration))
port = listener.getsockname()[1]
serve(proxy, context.wrap_socket(listener, server_side=True))
print(port, flush=True)
tpool.execute(sys.stdin.read)

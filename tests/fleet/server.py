"""A PostgreSQL server that hosts push their runs to, at the controller's address.

It encrypts with a certificate of its own, as one in a home network would."""

import subprocess
import tempfile
from pathlib import Path

from site_of_hosts import CONTROLLER, retry, sh

# Only hosts, encrypted and with a password; the administrator by the socket.
ACCESS = "local all admin trust\nhostssl all all 192.0.2.0/24 scram-sha-256\n"
# It refuses to run as root.
AS_POSTGRES = "setpriv --reuid postgres --regid postgres --clear-groups --pdeathsig QUIT".split()


class Server:
    """A running server with the tables that `schema` makes."""

    def __init__(self, schema: str):
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"))
        self._folder = tempfile.TemporaryDirectory(prefix="bakeoff-server-")
        self.folder = Path(self._folder.name)
        key, self.certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        sh(
            *"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(),
            *("-subj", "/CN=boards", "-addext", f"subjectAltName=IP:{CONTROLLER}"),
            *("-keyout", key, "-out", self.certificate),
        )
        key.chmod(0o600)
        sh("chown", "-R", "postgres:postgres", self.folder)
        data = self.folder / "data"
        init = "--no-sync --encoding=UTF8 --locale=C --username=admin -D".split()
        sh(*AS_POSTGRES, self.programs / "initdb", *init, data, cwd="/")
        (data / "pg_hba.conf").write_text(ACCESS)
        settings = {
            "listen_addresses": CONTROLLER,
            "fsync": "off",
            "ssl": "on",
            "ssl_cert_file": self.certificate,
            "ssl_key_file": key,
        }
        words = ["-D", data, "-k", self.folder]
        words += [word for pair in settings.items() for word in ("-c", f"{pair[0]}={pair[1]}")]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(word) for word in [*AS_POSTGRES, self.programs / "postgres", *words]],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        retry(lambda: self.sql("SELECT 1", "postgres"))
        self.sql("CREATE DATABASE bakeoff", "postgres")
        self.sql(schema)

    def sql(self, text: str, database="bakeoff") -> str:
        script = self.folder / "script.sql"
        script.write_text(text)
        words = ["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "admin", "-d", database]
        return sh(self.programs / "psql", *words, "-h", self.folder, "-f", script)

    def address(self, role: str) -> str:
        return f"postgresql://{role}@{CONTROLLER}/bakeoff"

    def stop(self):
        self.process.send_signal(3)
        self.process.wait()
        self._folder.cleanup()

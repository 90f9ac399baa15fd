"""Emulated machines for the tests: QEMU + OVMF, drives of known speed and content, stick images.

    image = Image.make(tmp_path / "stick.img")
    disk = Drive(null=4 * GB, rate=201_000_000)
    with Machine(tmp_path, stick=image, controllers=[Controller([disk])]) as machine:
        machine.wait(r"barelane: (done|failed)")
    result = image.result()

Standard library only. One machine at a time runs on a host, since the tests measure time: start()
waits for its turn. Nothing here knows the program; only Image.results() knows where it writes.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
CODE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
VARS = "/usr/share/OVMF/OVMF_VARS_4M.fd"
LIMIT = 120  # seconds: a busy host takes ten times as long as a quiet one
MB = 1_000_000
GB = 1_000_000_000
TOOLS = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin", MTOOLSRC="/dev/null",
             LC_ALL="C")


def tool(*command, check=True, text=True):
    """Runs a command and returns what it printed; raises with its output if it fails."""
    done = subprocess.run([str(word) for word in command], env=TOOLS, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=text, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def sha256(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def escape(path):
    """A file name inside a QEMU option."""
    return str(path).replace(",", ",,")


def clean(raw):
    """What a terminal would have shown, roughly: cursor moves start a new line, colours vanish."""
    text = raw.decode("latin-1")
    text = re.sub(r"\x1b\[[0-9;]*[HJ]", "\n", text)
    text = re.sub(r"\x1b\[[0-9;?=]*[A-Za-z]", "", text)
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Image:
    """A stick image with one FAT32 partition, and the files on it."""

    OFFSET = 1 << 20

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.volume = f"{self.path}@@{self.OFFSET}"

    @classmethod
    def make(cls, path, *, program=None, boot=True, startup=None, size=None, free=None):
        """By scripts/image. `startup`: lines of a startup.nsh (string or list); `free`: fill it up."""
        command = [ROOT / "scripts/image", path]
        script = None
        if program is not None:
            command += ["--program", program]
        if not boot:
            command += ["--no-boot"]
        if startup is not None:
            lines = startup if isinstance(startup, str) else "\n".join(startup) + "\n"
            script = pathlib.Path(f"{path}.nsh")
            script.write_bytes(lines.replace("\n", "\r\n").encode("ascii"))
            command += ["--startup", script]
        if size is not None:
            command += ["--size", size]
        if free is not None:
            command += ["--free", free]
        tool(*command)
        if script is not None:
            script.unlink()
        return cls(path)

    def names(self, folder="/"):
        """Names in a folder, folders with a slash at the end; none if there is no such folder."""
        shown = tool("mdir", "-b", "-i", self.volume, f"::{folder}", check=False)
        lines = [line.strip() for line in shown.splitlines() if line.startswith("::")]
        return [re.sub(r"^.*/(?=[^/]+/?$)", "", line) for line in lines]

    def read(self, path):
        """The bytes of a file."""
        return tool("mtype", "-i", self.volume, f"::{path}", text=False)

    def get(self, path, folder):
        """Copies a file or a whole folder to the host."""
        tool("mcopy", "-s", "-n", "-i", self.volume, f"::{path}", folder)

    def put(self, file, path):
        """Copies a file of the host to the image."""
        tool("mcopy", "-o", "-i", self.volume, file, f"::{path}")

    def mkdir(self, path):
        tool("mmd", "-i", self.volume, f"::{path}")

    def free_bytes(self):
        shown = re.search(r"([0-9 ]+) bytes free", tool("mdir", "-i", self.volume, "::/"))
        return int(shown.group(1).replace(" ", "")) if shown else 0

    def results(self):
        """Names of the result folders, oldest name first."""
        return sorted(name.rstrip("/") for name in self.names("/barelane")
                      if name.startswith("RESULT-") and name.endswith("/"))

    def result(self, name=None):
        """result.json of the folder `name`; by default there must be exactly one folder."""
        if name is None:
            names = self.results()
            if len(names) != 1:
                raise AssertionError(f"one result folder expected, found {names}")
            name = names[0]
        return json.loads(self.read(f"/barelane/{name}/result.json"))

    def fsck(self):
        """Raises unless fsck.fat finds the file system clean."""
        part = pathlib.Path(f"{self.path}.part")
        try:
            size = self.path.stat().st_size - 2 * self.OFFSET
            with open(self.path, "rb") as image, open(part, "wb") as out:
                image.seek(self.OFFSET)
                shutil.copyfileobj(image, out, 1 << 20)
                out.truncate(size)
            tool("fsck.fat", "-n", part)
        finally:
            part.unlink(missing_ok=True)

    def sha256(self):
        return sha256(self.path)


class Drive:
    """A drive on an AHCI controller. Exactly one of:

    null=BYTES     reads as zeroes; zeroes=False: costs the host nothing at all, and its content is
                   undefined; `latency_ns` for each read
    file=PATH      content of a raw or qcow2 file, which is only read: writes go to an overlay
    blank=BYTES    zeroes, of any size: a sparse qcow2
    image=IMAGE    an Image that is written to (a boot disk)

    rate: bytes per second; lane: name of a group of drives that share that rate; iops: reads per
    second; bad_sector: reading this sector (of 512 bytes) fails; serial, model: what IDENTIFY says.
    """

    def __init__(self, *, null=None, file=None, blank=None, image=None, rate=None, lane=None,
                 iops=None, latency_ns=0, bad_sector=None, serial=None, model=None, boot=None,
                 zeroes=True):
        if [null, file, blank, image].count(None) != 3:
            raise ValueError("one of null, file, blank, image")
        self.null, self.file, self.blank, self.image = null, file, blank, image
        self.rate, self.lane, self.iops, self.latency_ns = rate, lane, iops, latency_ns
        self.bad_sector, self.serial, self.model, self.boot = bad_sector, serial, model, boot
        self.zeroes = zeroes
        self.node = None  # name of the block node that the drive reads from
        self.overlay = None
        self.overlay_sum = None

    def options(self, name, folder, groups):
        """QEMU options that make the block node; sets self.node."""
        words, node = [], f"{name}b"
        if self.null is not None:
            words += ["-blockdev", f"driver=null-co,node-name={node},size={self.null},"
                      f"read-zeroes={'on' if self.zeroes else 'off'},latency-ns={self.latency_ns}"]
        elif self.image is not None:
            words += ["-blockdev", f"driver=raw,node-name={node},file.driver=file,"
                      f"file.filename={escape(self.image.path)}"]
        else:
            self.overlay = pathlib.Path(folder) / f"{name}.qcow2"
            if self.file is not None:
                info = json.loads(tool("qemu-img", "info", "-U", "--output=json", self.file))
                form = info["format"]
                backing = pathlib.Path(self.file).resolve()
                tool("qemu-img", "create", "-q", "-f", "qcow2", "-b", backing, "-F", form, self.overlay)
                words += ["-blockdev", f"driver={form},node-name={name}f,read-only=on,"
                          f"file.driver=file,file.filename={escape(backing)}"]
                below = f",backing={name}f"
            else:
                tool("qemu-img", "create", "-q", "-f", "qcow2", self.overlay, self.blank)
                below = ""
            self.overlay_sum = sha256(self.overlay)
            words += ["-blockdev", f"driver=qcow2,node-name={node}{below},file.driver=file,"
                      f"file.filename={escape(self.overlay)}"]
        if self.bad_sector is not None:
            words += ["-blockdev", f"driver=blkdebug,node-name={name}e,image={node},"
                      "inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5,"
                      f"inject-error.0.sector={self.bad_sector}"]
            node = f"{name}e"
        if self.rate is not None or self.iops is not None:
            group = self.lane or f"{name}g"
            if group not in groups:
                groups.add(group)
                limits = "".join(f",x-{key}-read={value}" for key, value in
                                 (("bps", self.rate), ("iops", self.iops)) if value is not None)
                words += ["-object", f"throttle-group,id={group}{limits}"]
            words += ["-blockdev", f"driver=throttle,throttle-group={group},node-name={name}t,"
                      f"file={node}"]
            node = f"{name}t"
        self.node = node
        return words

    def device(self, bus, identity):
        words = f"ide-hd,id={identity},bus={bus},drive={self.node}"
        for key, value in (("serial", self.serial), ("model", self.model), ("bootindex", self.boot)):
            if value is not None:
                words += f",{key}={value}"
        return ["-device", words]

    def untouched(self):
        """After the run: nothing was written to a `file` or `blank` drive."""
        return sha256(self.overlay) == self.overlay_sum


class Controller:
    """An AHCI controller. `drives` by port (None: an empty port).

    speed, width: of the PCIe root port it is behind, such as "5" and 1; speed=None: on the root bus.
    builtin=True: the drives are on the controller that the machine has anyway, at 00:1f.2.
    bus: id of a bus among the machine's `parts` that it is put on instead.
    """

    def __init__(self, drives=(), *, speed="5", width=1, builtin=False, bus=None):
        self.drives = list(drives)
        self.speed, self.width, self.builtin, self.bus = speed, width, builtin, bus

    def options(self, index, folder, groups):
        words, bus = [], f"ahci{index}"
        if self.builtin:
            bus = "ide"
        elif self.bus is not None:
            words += ["-device", f"ich9-ahci,id={bus},bus={self.bus}"]
        elif self.speed is None:
            words += ["-device", f"ich9-ahci,id={bus},addr={0x10 + index:x}"]
        else:
            words += ["-device", f"pcie-root-port,id=rp{index},x-speed={self.speed},"
                      f"x-width={self.width},chassis={index + 1},slot={index + 1}",
                      "-device", f"ich9-ahci,id={bus},bus=rp{index}"]
        for port, drive in enumerate(self.drives):
            if drive is not None:
                name = f"c{index}p{port}"
                words += drive.options(name, folder, groups)
                words += drive.device(f"{bus}.{port}", name)
        return words


class Qmp:
    """QEMU's machine protocol, one question at a time."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rw", encoding="utf-8")
        self.file.readline()  # the greeting
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        with self.lock:
            self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self.file.flush()
            while True:
                line = self.file.readline()
                if not line:
                    raise EOFError(f"QEMU ended during {command}")
                answer = json.loads(line)
                if "return" in answer:
                    return answer["return"]
                if "error" in answer:
                    raise RuntimeError(f"{command}: {answer['error']['desc']}")

    def close(self):
        self.file.close()
        self.socket.close()


class Machine:
    """A machine with a stick, AHCI controllers and a serial console. Use it with `with`.

    stick: an Image on USB, or None; read_only: the stick is write-protected; board: "q35", or "pc",
    which has no AHCI controller; kernel, append: start this EFI program without a disk; display:
    True gives it a screen (for screendump); parts: QEMU options for what controllers are put on;
    extra: further ones.
    """

    def __init__(self, folder, *, stick=None, controllers=(), read_only=False, board="q35", memory=512,
                 cpus=1, accel="tcg", kernel=None, append=None, display=False, parts=(), extra=()):
        self.folder = pathlib.Path(folder)
        self.stick, self.controllers, self.read_only = stick, list(controllers), read_only
        self.board, self.memory, self.cpus, self.accel = board, memory, cpus, accel
        self.kernel, self.append, self.display = kernel, append, display
        self.parts, self.extra = list(parts), list(extra)
        self.process = self.qmp = self.console = self.shown = self.reader = None
        self.log = self.folder / "serial.bin"
        self.seen = 0  # how much of the console's text wait() has consumed
        self.started = None
        self.turn = None

    def command(self):
        """QEMU's command line. Makes the files that it needs."""
        variables = self.folder / "vars.fd"
        shutil.copyfile(VARS, variables)
        words = ["qemu-system-x86_64", "-machine", f"{self.board},accel={self.accel}",
                 "-m", str(self.memory), "-smp", str(self.cpus), "-nodefaults", "-no-user-config",
                 "-display", "none", "-net", "none", "-no-reboot",
                 "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={CODE}",
                 "-drive", f"if=pflash,format=raw,unit=1,file={escape(variables)}",
                 "-qmp", f"unix:{escape(self.folder / 'qmp')},server=on,wait=off",
                 # A pipe takes 65,536 characters while its reader sleeps. A socket takes some 300, since
                 # each goes alone, and then QEMU's UART drops what it cannot pass on.
                 "-chardev", f"pipe,id=serial0,path={escape(self.folder / 'serial')}",
                 "-serial", "chardev:serial0"]
        if self.display:
            words += ["-vga", "std"]
        if self.kernel is not None:
            words += ["-kernel", str(self.kernel)]
            if self.append is not None:
                words += ["-append", self.append]
        if self.stick is not None:
            protect = "on" if self.read_only else "off"
            words += ["-device", "qemu-xhci,id=usb",
                      "-blockdev", f"driver=raw,node-name=stick,read-only={protect},file.driver=file,"
                      f"file.filename={escape(self.stick.path)}",
                      "-device", "usb-storage,bus=usb.0,drive=stick,removable=on,bootindex=0"]
        words += self.parts
        groups = set()
        for index, controller in enumerate(self.controllers):
            words += controller.options(index, self.folder, groups)
        return words + self.extra

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        self.stop()

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if len(str(self.folder / "qmp")) > 100:
            raise ValueError(f"too long for a socket's name: {self.folder}")
        self.log.unlink(missing_ok=True)
        (self.folder / "qmp").unlink(missing_ok=True)
        command = self.command()
        BUILD.mkdir(exist_ok=True)
        self.turn = open(BUILD / "lab.lock", "w", encoding="ascii")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        for name in ("serial.in", "serial.out"):
            (self.folder / name).unlink(missing_ok=True)
            os.mkfifo(self.folder / name)
        # Both ends of both pipes are held open here, so that neither side waits for the other.
        self.console = os.open(self.folder / "serial.in", os.O_RDWR)
        self.shown = os.open(self.folder / "serial.out", os.O_RDONLY | os.O_NONBLOCK)
        die_with_parent = ctypes.CDLL(None).prctl
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=lambda: die_with_parent(1, signal.SIGKILL))
        self.started = (time.monotonic(), self.host_busy(), self.cpu_seconds())
        try:
            self.reader = threading.Thread(target=self.drain, daemon=True)
            self.reader.start()
            self.qmp = self.monitor()
        except BaseException:
            self.stop()
            raise
        return self

    def monitor(self):
        """A connection to QEMU's monitor, once QEMU offers it."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                return Qmp(self.folder / "qmp")
            except (FileNotFoundError, ConnectionRefusedError):
                if self.process.poll() is not None:
                    raise RuntimeError(f"QEMU did not start: {self.qemu_said()}") from None
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def drain(self):
        """Writes to the log file what arrives on the serial line, until QEMU ends."""
        with open(self.log, "wb", buffering=0) as log:
            while True:
                over = self.process.poll() is not None
                select.select([self.shown], [], [], 0.1)
                part = b""
                with contextlib.suppress(BlockingIOError):
                    part = os.read(self.shown, 65536)
                log.write(part)
                if over and not part:
                    return
                if not part:
                    time.sleep(0.02)

    def qemu_said(self):
        return self.process.stdout.read().decode("utf-8", "replace")

    def text(self):
        """All that the console has shown, without colours and cursor moves."""
        return clean(self.log.read_bytes()) if self.log.exists() else ""

    def wait(self, pattern, timeout=LIMIT):
        """Waits until the console's text has `pattern` after the last one found; returns the match."""
        end = time.monotonic() + timeout
        while True:
            over = not self.reader.is_alive()
            text = self.text()
            found = re.search(pattern, text[self.seen:])
            if found:
                self.seen += found.end()
                return found
            crash = re.search("!!!! (Can't find image|.*ImageBase=)", text) is not None
            if over or crash or time.monotonic() > end:
                why = "QEMU ended" if over else "exception" if crash else f"{timeout} s are over"
                raise AssertionError(f"no {pattern!r}: {why}. The console so far:\n{text[-6000:]}")
            time.sleep(0.1)

    def wait_exit(self, timeout=LIMIT):
        """Waits until the machine switches itself off; QEMU's exit status."""
        try:
            status = self.process.wait(timeout)
            self.reader.join(timeout)
            return status
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still on after {timeout} s:\n{self.text()[-6000:]}") from None

    def send(self, text):
        """Types on the serial line. A new line is Enter."""
        os.write(self.console, text.replace("\n", "\r").encode("ascii"))

    def key(self, *names):
        """Presses keys of the keyboard one after another: "a", "ret", "esc", "f1", "ctrl-c"."""
        for name in names:
            self.qmp.ask("send-key", keys=[{"type": "qcode", "data": part} for part in name.split("-")])
            time.sleep(0.1)

    def screendump(self, path):
        """The screen as PNG (needs display=True)."""
        self.qmp.ask("screendump", filename=str(path), format="png")

    def stats(self, drive="stick"):
        """Block statistics (rd_bytes, rd_operations, wr_bytes, ...) of a Drive, or of the stick."""
        name = drive.node if isinstance(drive, Drive) else drive
        for entry in self.qmp.ask("query-blockstats"):
            if entry.get("node-name") == name or entry.get("qdev", "").endswith(f"/{name}"):
                return entry["stats"]
        raise KeyError(name)

    def watch(self, drive, interval=0.5):
        """Reads from outside how fast a drive is read: a list that grows by (seconds, bytes)."""
        rows = []

        def look():
            with contextlib.suppress(OSError, EOFError, ValueError, RuntimeError):
                while self.process.poll() is None:
                    rows.append((time.monotonic(), self.stats(drive)["rd_bytes"]))
                    time.sleep(interval)

        threading.Thread(target=look, daemon=True).start()
        return rows

    @staticmethod
    def host_busy():
        """Seconds that the host's processors have worked, those taken by its own host included."""
        with open("/proc/stat", encoding="ascii") as file:
            times = [int(word) for word in file.readline().split()[1:9]]
        user, nice, system, _idle, _wait, irq, softirq, steal = times
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

    def cpu_seconds(self):
        """Seconds of processor time that QEMU has used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def others_busy(self):
        """How many processors of the host have worked for others since start(): 0.1 is a quiet host."""
        then, busy, used = self.started
        seconds = max(time.monotonic() - then, 0.001)
        return (self.host_busy() - busy - (self.cpu_seconds() - used)) / seconds

    def stop(self):
        """Ends the machine as if its plug were pulled; what it had written to the stick is there."""
        if self.process is None:
            return
        if self.qmp is not None:
            with contextlib.suppress(OSError, EOFError, RuntimeError, ValueError):
                self.qmp.ask("quit")
        try:
            self.process.wait(10 if self.qmp is not None else 0.1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.reader is not None:
            self.reader.join(10)
        if self.qmp is not None:
            with contextlib.suppress(OSError):
                self.qmp.close()
        os.close(self.console)
        os.close(self.shown)
        self.process.stdout.close()
        self.turn.close()
        self.process = self.qmp = self.console = self.shown = None


def shell(folder, lines, *, controllers=(), timeout=LIMIT, image=None, program=None, **options):
    """Runs lines in the UEFI shell (fs0: is the stick) and switches off.

    Returns (text, image): what the console showed from the first line on, and the stick.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if image is None:
        script = ["@echo -off", "fs0:", "echo lab begins", *lines, "echo lab ends", "reset -s"]
        image = Image.make(folder / "shell.img", boot=False, startup=script, program=program)
    with Machine(folder, stick=image, controllers=controllers, **options) as machine:
        machine.wait(r"lab begins\n")
        start = machine.seen
        machine.wait(r"lab ends", timeout)
        machine.wait_exit(30)
        text = machine.text()[start:]
    return text.split("lab ends")[0], image

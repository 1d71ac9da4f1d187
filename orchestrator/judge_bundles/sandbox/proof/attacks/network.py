"""Reach anything over a network, or over a kind of socket that no network namespace stops."""

import os
import secrets
import socket

from judge_bundles.sandbox.proof.attack import inside, outside
from judge_bundles.sandbox.proof.target import Target
from judge_bundles.sandbox.proof.trial import Trial, connect, make_socket


@inside("interfaces", "find a network interface besides lo")
def interfaces(trial: Trial) -> None:
    """Two places list them without a socket."""
    with open("/proc/self/net/dev", encoding="ascii") as lines:
        found = sorted(line.partition(":")[0].strip() for line in lines if ":" in line)
    trial.holds(f"/proc/self/net/dev lists {', '.join(found)}", found == ["lo"])
    if os.path.isdir("/sys/class/net"):
        found = sorted(os.listdir("/sys/class/net"))
        trial.holds(f"/sys/class/net lists {', '.join(found)}", found == ["lo"])


@inside("outside-address", "connect to an address outside")
def outside_address(trial: Trial) -> None:
    """The addresses are set aside for documentation: where there is a route, nobody answers."""
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        for kind, name in ((socket.SOCK_DGRAM, "UDP"), (socket.SOCK_STREAM, "TCP")):
            trial.refused(f"{name} to {address}", connect, family, kind, (address, 80))


@inside("name-lookup", "look a name up")
def name_lookup(trial: Trial) -> None:
    """A server that answers, even that there is no such name, was reached."""
    try:
        socket.getaddrinfo("judge-bundles.invalid", 80)
        trial.holds("the name was found", condition=False)
    except socket.gaierror as error:
        no_data = -5
        answered = error.errno in (socket.EAI_NONAME, no_data)
        trial.holds(f"getaddrinfo: {error.strerror}", not answered)


@outside("host-loopback", "reach a server on the host's own loopback or in its abstract namespace")
def host_loopback(target: Target, trial: Trial) -> None:
    """Two real servers wait for it on the host."""
    name = f"judge-bundles-{secrets.token_hex(8)}"
    with socket.create_server(("127.0.0.1", 0)) as internet, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{name}")
        local.listen()
        target.send(connect_to_host, trial, port=internet.getsockname()[1], name=name)
        for server, place in ((internet, "127.0.0.1"), (local, "the abstract socket")):
            server.settimeout(0)
            try:
                server.accept()[0].close()
                trial.holds(f"somebody came to {place} on the host", condition=False)
            except BlockingIOError:
                trial.holds(f"nobody came to {place} on the host", condition=True)


def connect_to_host(trial: Trial) -> None:
    """Sent by `host_loopback`."""
    address = ("127.0.0.1", trial.given["port"])
    trial.refused("TCP to 127.0.0.1", connect, socket.AF_INET, socket.SOCK_STREAM, address)
    name = "\0" + trial.given["name"]
    trial.refused("abstract Unix socket", connect, socket.AF_UNIX, socket.SOCK_STREAM, name)


@inside("raw-socket", "make a raw or a packet socket")
def raw_socket(trial: Trial) -> None:
    """With one, traffic of others can be read and forged."""
    icmp, tcp, packet = socket.IPPROTO_ICMP, socket.IPPROTO_TCP, 17
    trial.refused("raw ICMP", make_socket, socket.AF_INET, socket.SOCK_RAW, icmp)
    trial.refused("raw TCP", make_socket, socket.AF_INET6, socket.SOCK_RAW, tcp)
    trial.refused("AF_PACKET", make_socket, packet, socket.SOCK_RAW, 0x0300)
    trial.refused("AF_PACKET datagram", make_socket, packet, socket.SOCK_DGRAM, 0x0300)


@inside("vsock", "talk to the hypervisor or to other machines on it (AF_VSOCK)")
def vsock(trial: Trial) -> None:
    """No network namespace stops it, and the engine's default list of system calls lets it pass."""
    family = 40
    trial.refused("AF_VSOCK stream", make_socket, family, socket.SOCK_STREAM, 0)
    trial.refused("AF_VSOCK datagram", make_socket, family, socket.SOCK_DGRAM, 0)


@inside("kernel-sockets", "talk to the kernel over a socket (netlink, crypto and others)")
def kernel_sockets(trial: Trial) -> None:
    """Each family is a part of the kernel that would otherwise be open to attack."""
    families = (
        *(("AF_NETLINK", 16, 3, protocol) for protocol in (0, 9, 12, 15, 16, 21)),
        *(("AF_ALG", 38, 5, 0), ("AF_KEY", 15, 3, 2), ("AF_BLUETOOTH", 31, 3, 1)),
        *(("AF_CAN", 29, 3, 1), ("AF_TIPC", 30, 2, 0), ("AF_RDS", 21, 5, 0)),
        *(("AF_XDP", 44, 3, 0), ("AF_SMC", 43, 1, 0), ("AF_QIPCRTR", 42, 2, 0)),
    )
    for name, family, kind, protocol in families:
        trial.machine_refuses(f"{name} {protocol}", make_socket, family, kind, protocol)

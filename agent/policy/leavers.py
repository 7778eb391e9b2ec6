"""Programs that leave the box whatever their words are, by what it is that they reach."""

from __future__ import annotations

from agent.acts import Act
from agent.policy.effects import Effects, Rule, changes, leaves, reads, unclear
from agent.policy.marks import is_known
from agent.policy.script import Simple

_BY_ACT = {
    Act.NETWORK: (
        "curl wget wget2 aria2c axel http https xh ssh scp sftp ftp lftp tftp nc ncat netcat socat telnet ping ping6 "
        "traceroute tracepath mtr dig nslookup host drill nmap masscan whois mosh rclone aws gcloud gsutil bq az "
        "doctl linode-cli flyctl fly heroku vercel netlify wrangler firebase gh glab hub svn hg bzr cvs rdesktop "
        "xfreerdp mail mailx sendmail mutt msmtp swaks psql mysql mysqldump pg_dump pg_restore mongosh mongo "
        "redis-cli cqlsh influx clickhouse-client ldapsearch snmpwalk smbclient mount.cifs showmount s3cmd b2 restic "
        "borg duplicity ssh-copy-id ssh-keyscan ssh-add ssh-agent git-lfs yt-dlp youtube-dl ab wrk hey k6 vegeta "
        "siege iperf iperf3 tcpdump tshark wireshark openvpn wg wg-quick tailscale cloudflared ngrok lt ipfs rsh "
        "rlogin rcp finger w3m lynx links elinks chromium chrome google-chrome firefox terraform tofu pulumi packer "
        "ansible ansible-playbook ansible-galaxy vagrant npx uvx pipx bunx dlx corepack kubectl helm k9s minikube "
        "kind k3s nomad consul vault"
    ),
    Act.CONTAINERS: (
        "docker docker-compose podman podman-compose buildah skopeo nerdctl ctr crictl lxc lxd incus runc machinectl "
        "systemd-nspawn virsh qemu-system-x86_64 VBoxManage multipass dockerd containerd apptainer singularity"
    ),
    Act.INSTALLS: (
        "apt apt-get aptitude dpkg rpm yum dnf zypper pacman apk brew snap flatpak emerge nix nix-env nix-shell guix "
        "port cpan cpanm luarocks opam ghcup rustup nvm pyenv rbenv asdf mise volta sdkman choco scoop winget "
        "easy_install conda mamba micromamba pear pecl composer gem add-apt-repository apt-key update-alternatives "
        "dpkg-reconfigure debconf-set-selections unattended-upgrade do-release-upgrade"
    ),
    Act.SERVICES: (
        "systemctl service rc-service rc-update initctl supervisorctl pm2 init telinit shutdown reboot halt poweroff "
        "start-stop-daemon invoke-rc.d update-rc.d chkconfig monit nginx apachectl apache2ctl httpd sshd launchctl "
        "busctl dbus-send gdbus loginctl timedatectl hostnamectl localectl resolvectl networkctl coredumpctl "
        "dbus-daemon screen tmux byobu zellij dtach abduco wall write mesg"
    ),
    Act.SCHEDULES: ("crontab at batch atq atrm anacron"),
    Act.PROCESSES: ("kill pkill killall killall5 skill snice renice xkill fuser reptyr disown bg"),
    Act.RIGHTS: (
        "useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd passwd chpasswd newusers vipw "
        "vigr visudo chsh chfn newgrp sg login logger setcap getty faillock pam-auth-update ssh-import-id keyctl "
        "secret-tool pass gopass op bw kinit"
    ),
    Act.SYSTEM: (
        "sysctl modprobe insmod rmmod depmod mount umount swapon swapoff losetup mkswap ip ifconfig route iptables "
        "ip6tables nft ufw firewall-cmd tc ethtool iw iwconfig nmcli brctl arp hwclock ntpdate chronyc udevadm "
        "ldconfig update-grub grub-install efibootmgr dmsetup lvm pvcreate vgcreate lvcreate lvremove vgremove "
        "pvremove lvextend mdadm cryptsetup zfs zpool btrfs mknod mkfs mke2fs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs "
        "mkfs.btrfs mkfs.vfat mkfs.fat fsck e2fsck tune2fs resize2fs xfs_repair wipefs fdisk sfdisk gdisk sgdisk "
        "cfdisk parted partprobe blkdiscard hdparm smartctl nvme sg_raw debugfs dumpe2fs dmidecode rtcwake kexec "
        "setenforce semanage setsebool restorecon chcon apparmor_parser aa-complain auditctl bpftool bpftrace perf "
        "ftrace trace-cmd crash systemtap stap criu fusermount fusermount3 sshfs mkinitramfs update-initramfs dracut "
        "alternatives"
    ),
    Act.UNCLEAR: (
        "! if then elif else fi do done while until for case esac in { } eval alias enable hash bind complete compgen "
        "compopt fc coproc suspend vi vim nvim view ex vimdiff emacs emacsclient nano pico ed red joe jed micro code "
        "expect screenfetch rlwrap m4 pwsh fish csh tcsh elvish nu xonsh rc es ghci irb pry ipython jupyter "
        "jupyter-lab jupyter-notebook R octave scala gnuplot rundeck dialog whiptail zenity xdotool xterm "
        "gnome-terminal xdg-open open start"
    ),
}


def _leaver(act: Act) -> Rule:
    def rule(simple: Simple) -> Effects:
        name = simple.words[0].rpartition("/")[2]
        return unclear(act, name) if act is Act.UNCLEAR else Effects((leaves(act, name),))

    return rule


def kill(simple: Simple) -> Effects:
    """`kill`: what the script itself has started may be ended, other processes are somebody else's."""
    targets = [word for word in simple.words[1:] if not word.startswith("-") or len(simple.words) == 2]
    listing = simple.words[1:2] in (("-l",), ("-L",))
    own = bool(targets) and all(word.startswith("%") for word in targets)
    return Effects((changes(Act.ENDS_JOBS, "kill") if own or listing else leaves(Act.PROCESSES, "kill"),))


def trap(simple: Simple) -> Effects:
    """`trap`: its text runs later."""
    texts = simple.words[1:2] if len(simple.words) > 2 and simple.words[1] not in ("-", "", "-p", "-l") else ()
    if not all(map(is_known, texts)):
        return unclear(Act.UNCLEAR, "trap")
    return Effects((changes(Act.RUNS_TEXT, "trap") if texts else reads(),), texts=texts)


RULES: dict[str, Rule] = {
    **{name: _leaver(act) for act, names in _BY_ACT.items() for name in names.split()},
    "kill": kill,
    "trap": trap,
}

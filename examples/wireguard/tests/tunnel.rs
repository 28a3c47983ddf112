//! Tests with packets that are lost, reordered, repeated, changed and forged.

use wireguard::{BATCH, Datagram, Dropped, HEADER_BYTES, MAX_PACKET_BYTES, Role, Tunnel, WINDOW};

const SECRET: [u8; 32] = [0x51; 32];

fn ends(rekey_after: u64) -> [Tunnel; 2] {
    [Role::Initiator, Role::Responder].map(|role| Tunnel::with_rekey_after(&SECRET, role, rekey_after))
}

/// Returns an IPv4 packet that contains `number`.
fn packet(number: usize, bytes: usize) -> Vec<u8> {
    let mut packet = vec![number as u8; bytes];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&(bytes as u16).to_be_bytes());
    packet[8..16].copy_from_slice(&(number as u64).to_be_bytes());
    packet
}

/// Seals `count` packets, which are numbered from `first` on.
fn seal(tunnel: &mut Tunnel, first: usize, count: usize) -> Vec<Datagram> {
    let packets: Vec<_> = (first..first + count).map(|number| packet(number, 20 + number * 37 % 1400)).collect();
    let packets: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
    let mut datagrams = vec![Datagram::new(); count];
    tunnel.seal(&packets, &mut datagrams);
    datagrams
}

/// Opens datagrams. Returns the numbers of their packets, and how many were dropped.
fn open(tunnel: &mut Tunnel, datagrams: &[Datagram]) -> (Vec<usize>, Dropped) {
    let mut numbers = Vec::new();
    let dropped = tunnel.open(&mut datagrams.to_vec(), |opened| {
        let number = u64::from_be_bytes(opened[8..16].try_into().unwrap()) as usize;
        assert!(opened == packet(number, opened.len()), "packet {number} was changed");
        assert_eq!(opened.len(), 20 + number * 37 % 1400);
        numbers.push(number);
    });
    (numbers, dropped)
}

fn changed(datagram: &Datagram, change: impl FnOnce(&mut Vec<u8>)) -> Datagram {
    let mut bytes = datagram.bytes().to_vec();
    change(&mut bytes);
    let mut datagram = Datagram::new();
    let fill = |buffer: &mut [u8]| -> Result<usize, ()> {
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    };
    datagram.fill(fill).unwrap();
    datagram
}

#[test]
fn packets_arrive_in_both_directions() {
    let [mut a, mut b] = ends(1 << 60);
    for count in [1, 2, BATCH - 1, BATCH, BATCH + 1, 5 * BATCH + 3] {
        for _ in 0..2 {
            let (numbers, dropped) = open(&mut b, &seal(&mut a, 0, count));
            assert_eq!((numbers, dropped), ((0..count).collect(), Dropped::default()));
            std::mem::swap(&mut a, &mut b);
        }
    }
    // A peer does not open what it has sealed itself.
    let own = seal(&mut a, 0, 3);
    assert_eq!(open(&mut a, &own).0, []);
}

#[test]
fn every_changed_message_is_dropped_and_the_others_are_not() {
    let [mut a, mut b] = ends(1 << 60);
    let mut first = 0;
    for bit in (0..8 * 100).step_by(3) {
        let mut datagrams = seal(&mut a, first, 8);
        let place = bit % 8;
        let bytes = datagrams[place].bytes().len();
        datagrams[place] = changed(&datagrams[place], |bytes_of| bytes_of[bit / 8 % bytes] ^= 1 << (bit % 8));
        let (numbers, dropped) = open(&mut b, &datagrams);
        let expected: Vec<_> = (first..first + 8).filter(|number| *number != first + place).collect();
        assert_eq!(numbers, expected, "bit {bit}");
        assert_eq!(dropped.total(), 1, "bit {bit}: {dropped:?}");
        first += 8;
    }
    let mut datagrams = seal(&mut a, first, 3);
    datagrams[0] = changed(&datagrams[0], |bytes| *bytes.last_mut().unwrap() ^= 1);
    datagrams[1] = changed(&datagrams[1], |bytes| bytes.truncate(HEADER_BYTES));
    let (numbers, dropped) = open(&mut b, &datagrams);
    assert_eq!(numbers, [first + 2]);
    assert_eq!(dropped, Dropped { forged: 1, malformed: 1, ..Dropped::default() });
}

#[test]
fn a_message_opens_once_in_any_order() {
    let [mut a, mut b] = ends(1 << 60);
    let mut datagrams = seal(&mut a, 0, 200);
    // Some are lost.
    let lost: Vec<_> = datagrams.drain(50..60).collect();
    datagrams.reverse();
    let (mut numbers, dropped) = open(&mut b, &datagrams);
    numbers.sort_unstable();
    assert_eq!(numbers, (0..50).chain(60..200).collect::<Vec<_>>());
    assert_eq!(dropped, Dropped::default());

    // Opens all of them again, then one of the late messages twice in one batch.
    assert_eq!(open(&mut b, &datagrams), (vec![], Dropped { replayed: 190, ..Dropped::default() }));
    let twice = [lost[3].clone(), lost[3].clone(), lost[4].clone()];
    assert_eq!(open(&mut b, &twice), (vec![53, 54], Dropped { replayed: 1, ..Dropped::default() }));

    // The window moves on, so all but one of the late messages are too late.
    let window = WINDOW as usize;
    seal(&mut a, 0, window - 150);
    let (numbers, _) = open(&mut b, &seal(&mut a, 0, 9));
    assert_eq!(numbers.len(), 9);
    let (numbers, dropped) = open(&mut b, &lost);
    assert_eq!(dropped.replayed + numbers.len(), 10);
    assert_eq!(numbers, [59], "one is just within the window");
}

#[test]
fn a_forged_counter_does_not_move_the_window() {
    let [mut a, mut b] = ends(1 << 60);
    let datagrams = seal(&mut a, 0, 4);
    for counter in [1 << 20, 1 << 40, u64::MAX - (1 << 14), u64::MAX - 1, u64::MAX] {
        let forged = changed(&datagrams[0], |bytes| bytes[8..16].copy_from_slice(&u64::to_le_bytes(counter)));
        let (numbers, dropped) = open(&mut b, &[forged]);
        assert_eq!((numbers, dropped.total()), (vec![], 1));
    }
    assert_eq!(open(&mut b, &datagrams).0, [0, 1, 2, 3]);
}

#[test]
fn keys_change_after_the_limit() {
    for limit in [1, 3, 32, 50] {
        let [mut a, mut b] = ends(limit);
        let mut before: Vec<Datagram> = Vec::new();
        for round in 0..20 {
            let datagrams = seal(&mut a, 0, 40);
            assert_eq!(u64::from(a.sending_session()), (40 * (round + 1) - 1) / limit, "limit {limit}");
            // Opens one datagram at a time, because a batch could have messages of sessions that
            // the receiver does not know yet.
            let numbers: Vec<_> =
                datagrams.iter().flat_map(|datagram| open(&mut b, std::slice::from_ref(datagram)).0).collect();
            assert_eq!(numbers, (0..40).collect::<Vec<_>>(), "limit {limit}");
            assert_eq!(open(&mut b, &datagrams).0, [], "all of them again");
            assert_eq!(open(&mut b, &before).0, [], "those before again");
            before = datagrams;
        }
        let unknown = open(&mut b, &seal(&mut ends(limit)[0], 0, 1)).1;
        assert_eq!(unknown.total(), 1, "a session that has ended");
    }
}

#[test]
fn messages_of_the_session_before_still_open() {
    let [mut a, mut b] = ends(10);
    let datagrams = seal(&mut a, 0, 30);
    assert_eq!(open(&mut b, &datagrams[..5]).0, [0, 1, 2, 3, 4]);
    assert_eq!(open(&mut b, &datagrams[12..14]).0, [12, 13], "the next session");
    assert_eq!(open(&mut b, &datagrams[5..8]).0, [5, 6, 7], "the one before");
    assert_eq!(open(&mut b, &datagrams[25..]).0, [25, 26, 27, 28, 29], "the one after");
    assert_eq!(open(&mut b, &datagrams[14..16]).0, [14, 15], "the one before");
    assert_eq!(open(&mut b, &datagrams[8..10]), (vec![], Dropped { unknown: 2, ..Dropped::default() }));
}

#[test]
fn keepalives_and_strange_packets() {
    let [mut a, mut b] = ends(1 << 60);
    let longest = packet(0, MAX_PACKET_BYTES);
    let no_ip = [0xf5; 40];
    let too_long = packet(0, 60)[..50].to_vec();
    let mut v6 = [0x60; 48];
    v6[4..6].copy_from_slice(&8_u16.to_be_bytes());
    let mut datagrams = vec![Datagram::new(); 5];
    a.seal(&[&[], &no_ip, &longest, &too_long, &v6], &mut datagrams);
    assert_eq!(datagrams[0].bytes().len(), HEADER_BYTES + 16);
    let mut opened = Vec::new();
    let dropped = b.open(&mut datagrams, |packet| opened.push(packet.to_vec()));
    // 50 bytes are padded to 64, in which the length of 60 fits: padding cannot be told from data.
    assert_eq!(opened.iter().map(Vec::len).collect::<Vec<_>>(), [0, MAX_PACKET_BYTES, 60, 48]);
    assert_eq!(dropped, Dropped { malformed: 1, ..Dropped::default() });
    let empty = b.open(&mut [Datagram::new()], |_| panic!("nothing came"));
    assert_eq!(empty, Dropped { malformed: 1, ..Dropped::default() });
}

// Runs typage (https://github.com/FiloSottile/typage) for the tests: node typage.mjs FOLDER < JOBS
//
// FOLDER has the node_modules with the package age-encryption. JOBS is a JSON list of objects,
// which are done in turn:
//   {"keygen": "x25519" | "hybrid", "output": KEY}, which also writes KEY.pub;
//   {"encrypt": INPUT, "output": OUTPUT, "recipients": [FILE…] or "passphrase": TEXT,
//    "armor": BOOL, "stream": BOOL};
//   {"decrypt": INPUT, "output": OUTPUT, "identity": FILE or "passphrase": TEXT, "stream": BOOL}.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { webcrypto } from 'node:crypto';

// Node 18 has it under this name only.
globalThis.crypto ??= webcrypto;
const age = await import(pathToFileURL(join(argv[2], 'node_modules/age-encryption/dist/index.js')));

const line = (file) => readFileSync(file, 'utf8').split('\n').find((text) => text !== '' && !text.startsWith('#')).trim();

// Pieces that fit no chunk, as a network gives them.
const PIECE = 50_001;
const streamed = (bytes) => new ReadableStream({
    start(controller) {
        for (let at = 0; at < bytes.length; at += PIECE) controller.enqueue(bytes.subarray(at, at + PIECE));
        controller.close();
    },
});
const collected = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

async function through(worker, bytes, stream) {
    return stream ? collected(await worker(streamed(bytes))) : worker(bytes);
}

async function keygen({ keygen, output }) {
    const key = await (keygen === 'hybrid' ? age.generateHybridIdentity() : age.generateX25519Identity());
    writeFileSync(output, `${key}\n`);
    writeFileSync(`${output}.pub`, `${await age.identityToRecipient(key)}\n`);
}

async function encrypt({ encrypt, output, recipients, passphrase, armor, stream }) {
    const encrypter = new age.Encrypter();
    // Quick: scrypt at full strength takes seconds in JavaScript.
    encrypter.setScryptWorkFactor(10);
    if (passphrase !== undefined) encrypter.setPassphrase(passphrase);
    for (const file of recipients ?? []) encrypter.addRecipient(line(file));
    const sealed = await through((input) => encrypter.encrypt(input), new Uint8Array(readFileSync(encrypt)), stream);
    writeFileSync(output, armor ? age.armor.encode(sealed) : sealed);
}

async function decrypt({ decrypt, output, identity, passphrase, stream }) {
    const decrypter = new age.Decrypter();
    if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
    if (identity !== undefined) decrypter.addIdentity(line(identity));
    const file = readFileSync(decrypt);
    const sealed = file.subarray(0, 5).toString() === '-----' ? age.armor.decode(file.toString()) : new Uint8Array(file);
    writeFileSync(output, await through((input) => decrypter.decrypt(input), sealed, stream));
}

for (const job of JSON.parse(readFileSync(0, 'utf8'))) {
    try {
        await ('keygen' in job ? keygen : 'encrypt' in job ? encrypt : decrypt)(job);
    } catch (error) {
        console.error(`${JSON.stringify(job)}: ${error.stack}`);
        process.exit(1);
    }
}

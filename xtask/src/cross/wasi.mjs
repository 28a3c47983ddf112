// Runs a WASI program: node wasi.mjs PROGRAM ARGUMENT… It gets the environment, and the folder it
// is started in.
import { readFile } from 'node:fs/promises';
import { argv, cwd, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({
    version: 'preview1',
    args: argv.slice(2),
    env,
    preopens: { '.': cwd() },
    returnOnExit: true,
});
const { instance } = await WebAssembly.instantiate(await readFile(argv[2]), wasi.getImportObject());
exit(wasi.start(instance));

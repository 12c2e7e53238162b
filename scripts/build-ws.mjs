// Bundles `ws` into the package, without its optional native parts: bundlers replace those by empty modules, and `ws` then
// fails for each frame of 32 bytes or more.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('node_modules/ws/package.json', root), 'utf8'))
const license = readFileSync(new URL('node_modules/ws/LICENSE', root), 'utf8')

const file = resolve(fileURLToPath(root), process.argv[2] ?? 'dist/ws.cjs')
const code = file.replace(/\.cjs$/, '-code.cjs')

await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['node_modules/ws/wrapper.mjs'],
  outfile: code,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  // Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  target: 'es2022',
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  banner: { js: `/*!\nws ${version}\n\n${license.trim()}\n*/` },
  logLevel: 'warning',
})

// Node finds the exports of a CommonJS module that is imported by reading all its text, which takes longer than to run it.
const names = Object.keys(createRequire(import.meta.url)(code)).filter((name) => name !== 'default')
const lines = names.map((name) => `exports.${name} = require('./${basename(code)}').${name}\n`)
writeFileSync(file, lines.join(''))

// Bundles `ws` into the package, without its optional native parts: bundlers replace those by empty modules, and `ws` then
// fails for each frame of 32 bytes or more.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('..', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('node_modules/ws/package.json', root), 'utf8'))
const license = readFileSync(new URL('node_modules/ws/LICENSE', root), 'utf8')

await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['node_modules/ws/wrapper.mjs'],
  outfile: process.argv[2] ?? 'dist/ws.cjs',
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

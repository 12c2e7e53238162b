// Bundles the entry points for Node. The first argument is another folder than `dist`; further sources, such as
// `src/wire/auth/mac.ts`, follow.

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { builtSources } from './entry-points.js'

const [outdir = 'dist', ...others] = process.argv.slice(2)

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: {
    ...builtSources,
    'cli/main': './src/desk/cli/main.ts',
    ...Object.fromEntries(others.map((source) => [source.replace(/^src\/|\.ts$/g, ''), source])),
  },
  outdir,
  bundle: true,
  splitting: true,
  packages: 'external',
  alias: { ws: '#ws' },
  external: ['#ws'],
  define: { IS_BUILT: 'true' },
  platform: 'node',
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
})

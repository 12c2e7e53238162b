import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { installedCommand, run } from './run.js'

export type Command = readonly [name: string, ...args: string[]]

export interface Bundler {
  readonly name: string
  /** The installed command and its arguments. `{out}` is the folder of the output. */
  readonly command: Command
}

/** The packages of the bundlers, as arguments of `npm install`. */
export const bundlerPackages: readonly string[] = [
  'esbuild@0.28',
  'rollup@4',
  '@rollup/plugin-node-resolve@16',
  'vite@7',
  'webpack@5',
  'webpack-cli@6',
  '@rollup/plugin-commonjs@29',
  '@rollup/plugin-json@6',
  'next@16',
]

/** The frameworks of `examples/store`, their plugins for the Vite above, and their checkers, as arguments of `npm install`. */
export const frameworkPackages: readonly string[] = [
  'react@19',
  'react-dom@19',
  '@types/react@19',
  '@types/react-dom@19',
  '@vitejs/plugin-react@5',
  'svelte@5',
  'svelte-check@4',
  '@sveltejs/vite-plugin-svelte@6',
  'typescript@5.9',
]

/** Each bundler with its defaults. Rollup needs a plugin for packages; its option selects the builds for browsers. */
export const bundlers: readonly Bundler[] = [
  {
    name: 'esbuild',
    command: ['esbuild', 'page/page.mjs', '--bundle', '--minify', '--format=esm', '--outdir={out}'],
  },
  {
    name: 'Rollup',
    command: ['rollup', '-i', 'page/page.mjs', '-p', 'node-resolve={browser:true}', '-d', '{out}'],
  },
  { name: 'Vite', command: ['vite', 'build', 'page', '--outDir', '{out}'] },
  { name: 'webpack', command: ['webpack', './page/page.mjs', '--mode', 'production', '-o', '{out}'] },
]

/** What `programs/server` receives over WebSocket and HTTP, from the service and through a gateway. */
export const received = {
  topics: ['svc-0xAb', 'svc-0xAb'],
  mint: '0xAb',
  error: 'SubscriptionRejected',
  overHttp: 'Right',
}

/** Bundlers of `programs/server` for Node, and the file that Node runs. */
export const serverBundlers: readonly (Bundler & { readonly output: string })[] = [
  {
    name: 'esbuild',
    command: [
      'esbuild',
      ...['server/main.mjs', '--bundle', '--platform=node', '--outfile=out/server-esbuild/main.cjs'],
    ],
    output: 'out/server-esbuild/main.cjs',
  },
  {
    name: 'esbuild, with empty modules as the natives of ws',
    command: [
      'esbuild',
      ...['server/main.mjs', '--bundle', '--platform=node'],
      ...['--alias:bufferutil=./server/empty.cjs', '--alias:utf-8-validate=./server/empty.cjs'],
      '--outfile=out/server-empty/main.cjs',
    ],
    output: 'out/server-empty/main.cjs',
  },
  {
    name: 'Rollup',
    command: ['rollup', '-c', 'server/rollup.config.mjs'],
    output: 'out/server-rollup/main.mjs',
  },
  {
    name: 'webpack',
    command: [
      'webpack',
      ...['./server/main.mjs', '--mode', 'production', '--target', 'node'],
      // Terser uses the CPU for 13 s. The bundles of Next are minified, and that of the page is by Terser.
      ...['--no-optimization-minimize', '-o', 'out/server-webpack'],
    ],
    output: 'out/server-webpack/main.js',
  },
]

/** The folder of an application of Next whose route `/prices` runs the same program. */
export const nextPages = 'server/next'

/** Bundles the page of `programs/page`. Returns the text of the script, and what the bundler printed. */
export const bundlePage = async (
  { name, command }: Bundler,
  folder: string,
): Promise<{ readonly script: string; readonly output: string }> => {
  const out = join(folder, 'out', name)
  const [program, ...args] = command
  const { code, stdout, stderr } = await run(
    installedCommand(folder, program),
    args.map((argument) => argument.replace('{out}', out)),
    { cwd: folder },
  )
  const output = stdout + stderr
  if (code !== 0) throw new Error(output)
  const files = (await readdir(out, { recursive: true })).filter((file) => /\.m?js$/.test(file))
  if (files.length !== 1) throw new Error(`expected one script, got ${files.join(', ')}`)
  return { script: await readFile(join(out, files[0] ?? ''), 'utf8'), output }
}

export const gzippedSize = (script: string): number => gzipSync(script).length

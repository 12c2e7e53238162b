import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type BuildOptions, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const filesOf = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll(sep, '/')}`)
    .filter((file) => pattern.test(file))

/** The sources that tests run as processes, or import in them. */
export const sources: readonly string[] = ['src/cli/main.ts', 'src/cli/stop.ts', 'src/simulator/index.ts']

/** `npm start`, the examples, and the programs of the tests that run them as processes. */
export const programs: readonly string[] = [
  'scripts/start.ts',
  ...filesOf('examples', /^examples\/(?:[^/]+|project\/src\/main)\.ts$/),
  ...filesOf('test', /^test\/[\w/-]+\/programs\/.*\.ts$/).filter((file) => !file.startsWith('test/package/')),
]

/**
 * Replaces `import.meta.url` by the URL of the source file, because sources read files relative to themselves. The files of
 * the page and the program of the worker threads are built, and are in the copy.
 */
const keepUrls: Plugin = {
  name: 'keep import.meta.url',
  setup: (bundle) => {
    bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (/[\\/](?:start-dashboard|worker-pool)\.ts$/.test(path)) return undefined
      const source = await readFile(path, 'utf8')
      const url = JSON.stringify(pathToFileURL(path).href)
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
}

/** Defines `require` in a bundle: bundled CommonJS packages require modules of Node. */
export const defineRequire =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"

/**
 * Bundles the files of `entryPoints`, relative to the root of the repository, into `outdir`. They share chunks: one bundle for
 * each takes four times as long to write, and a process then parses code that it does not run.
 */
export const bundle = async ({ plugins = [], ...options }: BuildOptions): Promise<void> => {
  await build({
    absWorkingDir: root,
    // Also for the project of `init`, which has its own: its imports of the package are those of the sources.
    tsconfig: join(root, 'tsconfig.json'),
    outbase: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    ...options,
    plugins: [...plugins, keepUrls],
  })
}

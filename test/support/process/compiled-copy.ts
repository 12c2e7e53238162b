import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type BuildOptions, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const filesOf = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => pattern.test(file))

/** What processes run: each with all that it imports, in one file. Loading hundreds of files takes longer. */
const programs = [
  'src/cli/main.ts',
  'src/cli/stop.ts',
  'src/codec/http-date.ts',
  'src/simulator/index.ts',
  ...filesOf('examples', /^examples\/[^/]+\.ts$/),
  ...filesOf('test', /^test\/\w+\/programs\/.*\.ts$/).filter((file) => !file.startsWith('test/package/')),
]

/** The entry points of the package, for programs that import it by its name. */
const entryPoints = filesOf('src', /^src\/(?:\w+\/)?index\.ts$/)

/** A bundle stands elsewhere than its sources, which read files by paths relative to their own. */
const keepUrls: Plugin = {
  name: 'keep import.meta.url',
  setup: (bundle) => {
    bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const url = JSON.stringify(pathToFileURL(path).href)
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
}

const settings = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  plugins: [keepUrls],
  logLevel: 'error',
} satisfies BuildOptions

/** CommonJS packages in a bundle require modules of Node. */
const requireOfNode =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"

const compile = async (copy: string): Promise<void> => {
  await build({
    ...settings,
    entryPoints: programs,
    outbase: root,
    outdir: copy,
    banner: { js: requireOfNode },
  })
  await build({
    ...settings,
    entryPoints: [...entryPoints],
    outbase: join(root, 'src'),
    outdir: join(copy, 'dist'),
    packages: 'external',
    splitting: true,
  })
}

/** Compiles once for all processes, into a folder that is a package too. */
export default async (project: TestProject): Promise<() => void> => {
  const copy = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await compile(copy)
  project.onTestsRerun(() => compile(copy))
  project.provide('compiledCopy', copy)
  return () => rmSync(copy, { recursive: true, force: true })
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the compiled copy. */
    readonly compiledCopy: string
  }
}

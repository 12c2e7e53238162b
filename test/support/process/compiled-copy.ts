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

/** The programs that tests run as processes. Each is bundled into one file, because loading hundreds of files is slower. */
const programs = [
  'src/cli/main.ts',
  'src/cli/stop.ts',
  'src/codec/http-date.ts',
  'src/simulator/index.ts',
  ...filesOf('examples', /^examples\/[^/]+\.ts$/),
  ...filesOf('test', /^test\/\w+\/programs\/.*\.ts$/).filter((file) => !file.startsWith('test/package/')),
]

/** The entry points of the package, for programs that import it by name. */
const entryPoints = filesOf('src', /^src\/(?:\w+\/)?index\.ts$/)

/** Replaces `import.meta.url` by the URL of the source file, because sources read files relative to themselves. */
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

/** Defines `require` in a bundle: bundled CommonJS packages require modules of Node. */
const defineRequire =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"

const compile = async (copy: string): Promise<void> => {
  await build({
    ...settings,
    entryPoints: programs,
    outbase: root,
    outdir: copy,
    banner: { js: defineRequire },
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

/** Compiles once per run, into a folder that is also a package. */
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

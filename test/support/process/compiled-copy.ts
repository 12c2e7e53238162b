import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildPage } from '../../../scripts/page/build-page.js'
import { builtSources } from '../../../scripts/entry-points.js'
import { bundle, defineRequire, programs, sources } from './bundle-programs.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const compile = async (copy: string): Promise<void> => {
  // Bundled with their packages, because loading hundreds of files is slower.
  await bundle({ entryPoints: [...sources, ...programs], outdir: copy, banner: { js: defineRequire } })
  // For programs that import the package by its name, and the command that imports such a module into its process.
  await bundle({
    entryPoints: { ...builtSources, 'cli/main': './src/cli/main.ts' },
    outdir: join(copy, 'dist'),
    packages: 'external',
  })
  await buildPage(join(copy, 'dist/dashboard'))
}

/** Compiles once per run, into a folder that is also a package. */
export default async (project: TestProject): Promise<() => void> => {
  const copy = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  // On Windows, only an administrator may create any other kind of link.
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
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

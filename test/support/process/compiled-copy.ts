import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { TestProject } from 'vitest/node'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What processes run, with the folder of each in the copy. */
const folders: readonly (readonly [source: string, target: string])[] = [
  ['src', 'dist'],
  ['examples', 'examples'],
  ['test/support', 'test/support'],
  ['test/client/programs', 'test/client/programs'],
  ['test/promises/programs', 'test/promises/programs'],
  ['test/recording/programs', 'test/recording/programs'],
]

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
}

const compile = (copy: string): void => {
  for (const [source, target] of folders) {
    const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const { outputText } = ts.transpileModule(readFileSync(join(root, source, file), 'utf8'), {
        compilerOptions,
      })
      const path = join(copy, target, file.replace(/ts$/, 'js'))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, outputText)
    }
  }
}

/**
 * Compiles the package once, as JavaScript that plain Node runs. With the package.json in the copy, its programs import
 * the package by its name.
 */
export default (project: TestProject): (() => void) => {
  const copy = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  cpSync(join(root, 'examples/data'), join(copy, 'examples/data'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  compile(copy)
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

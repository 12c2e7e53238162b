import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { inject } from 'vitest'
import { spawnNode } from '../../support/process/node-process.js'
import { root, type Block } from './block.js'

/** The folder of a reader: the files of a guide, and the installed packages. */
export interface UserFolder {
  /** Runs Node in the folder; resolves with its exit code and output. */
  readonly node: (...args: readonly string[]) => Promise<Exit>
  /**
   * Runs a program of the guide, after the types are removed from all of them: a process with the loader `tsx` needs a second
   * more of the CPU.
   */
  readonly program: (file: string) => Promise<Exit>
  /** Runs tests of the guide in the same way, with the test runner of Node. */
  readonly tests: (...files: readonly string[]) => Promise<Exit>
  readonly remove: () => void
}

export interface Exit {
  readonly code: number | NodeJS.Signals
  readonly output: string
}

export const userFolder = (blocks: readonly Block[]): UserFolder => {
  // In the compiled copy, as if it were installed: a program finds the package by its name, and what the package needs.
  const folder = mkdtempSync(join(inject('compiledCopy'), 'guide-'))
  const write = (file: string, content: string): void => writeFileSync(join(folder, file), content)

  // Vitest resolves no package by the name of the package around it. The sources and the tests share the RxJS of the folder.
  const resolution = `{ ...resolve, dedupe: ['rxjs'] }`
  write(
    'vitest.config.js',
    `import { resolve } from '${root}vitest.config.ts'\nexport default { resolve: ${resolution} }\n`,
  )
  for (const { file, code } of blocks) {
    if (file !== undefined) write(file, code)
  }

  const removeTypes = async (): Promise<void> => {
    for (const { file, code } of blocks) {
      if (file === undefined) continue
      write(javaScriptOf(file), (await transform(code, { loader: 'ts', target: 'node20' })).code)
    }
  }

  return {
    node: (...args) => run(args, folder),
    program: async (file) => {
      await removeTypes()
      return run([javaScriptOf(file)], folder)
    },
    tests: async (...files) => {
      await removeTypes()
      return run(['--test', ...files.map(javaScriptOf)], folder)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const javaScriptOf = (file: string): string => file.replace(/\.ts$/, '.js')

const run = async (args: readonly string[], cwd: string): Promise<Exit> => {
  const child = spawnNode(args, { cwd, environment: { FORCE_COLOR: '0' } })
  return { code: await child.waitForExit(), output: child.output }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { spawnNode } from '../../support/process/node-process.js'
import { root, type Block } from './block.js'

/** The folder of a reader: the files of a guide, and the installed packages. */
export interface UserFolder {
  /** Runs Node in the folder; resolves with its exit code and output. */
  readonly node: (...args: readonly string[]) => Promise<Exit>
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

  // Vitest resolves no package by the name of the package around it.
  write('vitest.config.js', `import { resolve } from '${root}vitest.config.ts'\nexport default { resolve }\n`)
  for (const { file, code } of blocks) {
    if (file !== undefined) write(file, code)
  }

  return {
    node: (...args) => run(args, folder),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const run = async (args: readonly string[], cwd: string): Promise<Exit> => {
  const child = spawnNode(args, { cwd, environment: { FORCE_COLOR: '0' } })
  return { code: await child.waitForExit(), output: child.output }
}

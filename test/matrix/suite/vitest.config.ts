import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { aloneFolders } from '../../support/run/alone.js'
import { LongestFirst } from '../../support/run/longest-first.js'
import { notRun } from './not-run.js'
import { packedPackage } from './packed-package.js'

// The tests of this repository, in the runtime that runs Vitest, against the packed package in the folder MATRIX_USER.

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { MATRIX_USER: user = '', MATRIX_REPORT: report = '', TEST_SEED: seed = '0' } = process.env

/** Folders of test/, separated by commas. Without the variable, the suite runs all. */
const folders = process.env['MATRIX_FOLDERS']?.split(',') ?? ['**']

const filesOf = (names: readonly string[]): string[] => names.map((folder) => `test/${folder}/**/*.test.ts`)

const excluded = notRun.map(({ files }) => files)

export default defineConfig({
  root,
  plugins: [packedPackage(root, user)],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: filesOf(folders),
          exclude: [...excluded, ...filesOf(aloneFolders)],
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: filesOf(
            aloneFolders.filter((folder) => folders.includes(folder) || folders.includes('**')),
          ),
          exclude: excluded,
          isolate: true,
        },
      },
    ],
    provide: { isLong: false, seed: Number(seed), caseShare: 0.05 },
    setupFiles: ['test/support/run/setup.ts'],
    globalSetup: ['test/matrix/suite/compiled-programs.ts'],
    sequence: { sequencer: LongestFirst },
    isolate: false,
    maxWorkers: Math.max(4, availableParallelism()),
    testTimeout: 60_000,
    reporters: ['default', 'json'],
    outputFile: { json: report },
  },
})

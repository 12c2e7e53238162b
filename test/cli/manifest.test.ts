import { expect, test } from 'vitest'
import { missingPackage } from '../../src/cli/manifest.js'

const failedImport = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /project/main.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })

test('names an optional package that is not installed', () => {
  expect(missingPackage(failedImport('hyparquet'))).toBe(
    'the commands need the package hyparquet, which is not installed: npm install --include=optional',
  )
})

test('does not name a package of a strategy, nor explain another error', () => {
  expect(missingPackage(failedImport('trading-signals'))).toBeUndefined()
  expect(missingPackage(new Error("unexpected 'commander'"))).toBeUndefined()
  expect(missingPackage(undefined)).toBeUndefined()
})

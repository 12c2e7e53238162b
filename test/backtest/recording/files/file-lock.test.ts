import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockFile, LockedError } from '../../../../src/backtest/recording/files/file-lock.js'
import { newFolder } from '../../../support/new-folder.js'

it('contains the process id, and is removed when it is released', () => {
  const folder = newFolder()
  const lock = lockFile(join(folder, 'a.lock'))
  expect(readFileSync(join(folder, 'a.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
  expect(() => lockFile(join(folder, 'a.lock'))).toThrow(LockedError)
  lock.release()
  expect(readdirSync(folder)).toEqual([])
})

it('replaces the lock of a process that has ended', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a.lock'), '999999999 1\n')
  lockFile(join(folder, 'a.lock')).release()
  expect(readdirSync(folder)).toEqual([])
})

it('writes through no symbolic link that another user has put at the name of the lock, or of its temporary file', () => {
  const folder = newFolder()
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'precious')
  symlinkSync(victim, join(folder, 'a.lock'))
  symlinkSync(victim, join(folder, `b.lock.${process.pid}`))
  symlinkSync(victim, join(folder, `b.lock.${process.pid}.stale`))
  lockFile(join(folder, 'a.lock')).release()
  lockFile(join(folder, 'b.lock')).release()
  expect(readFileSync(victim, 'utf8')).toBe('precious')
  for (const name of ['a.lock', 'b.lock']) expect(existsSync(join(folder, name))).toBe(false)
})

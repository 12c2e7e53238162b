import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { installedCommand, run, runOrThrow, userEnvironment } from './support/run.js'

const packed = inject('packed')

test('init writes a project that installs, compiles, passes its test, and prints prices', async () => {
  const folder = join(packed.user, 'project')
  await runOrThrow(installedCommand(packed.user, 'svc-streams'), ['init', 'project'], { cwd: packed.user })
  const manifest = await readFile(join(folder, 'package.json'), 'utf8')
  expect(manifest).toContain(`"svc-streams": "file:${packed.tarball}"`)
  const options = { cwd: folder, timeout: 240_000 }
  await runOrThrow('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], options)
  expect(await run('npm', ['run', 'types'], options)).toMatchObject({ code: 0 })
  expect((await run('npm', ['test'], options)).stdout).toMatch(/^# pass 1$|^ℹ pass 1$/m)
  expect(await firstLines(folder)).toMatch(/^\d+(\.\d+)? USD$/m)
  await runOrThrow('npm', ['run', 'record', '--', '--duration', '4s'], options)
  expect(await runOrThrow('npm', ['run', 'backtest'], options)).toMatch(/^fills +[1-9]/m)
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('paper.ts over market.ndjson')
}, 300_000)

/** The output of `npm start` until it contains a price. */
const firstLines = (cwd: string): Promise<string> => {
  const started = spawn('npm', ['start'], { cwd, env: userEnvironment(), detached: true })
  onTestFinished(() => void process.kill(-started.pid!, 'SIGKILL'))
  let output = ''
  return new Promise((resolve, reject) => {
    started.on('exit', () => reject(new Error(`npm start has ended: ${output}`)))
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (/USD$/m.test(output)) resolve(output)
      })
    }
  })
}

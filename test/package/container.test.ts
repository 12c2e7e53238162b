import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { runOrThrow, userEnvironment } from './support/run.js'

// Performs the steps of the Dockerfile without Docker: its lines are run by a shell, in a folder in place of the image.

const packed = inject('packed')

/** The instructions of a Dockerfile, in order. */
const instructionsOf = (text: string): readonly (readonly [string, string])[] =>
  text
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])

test('the image of examples/deploy serves, is healthy, and ends on SIGTERM', async () => {
  const instructions = instructionsOf(
    await readFile(join(packed.package, 'examples/deploy/Dockerfile'), 'utf8'),
  )
  const of = (name: string): string => instructions.find(([each]) => each === name)?.[1] ?? ''
  expect(instructions.map(([name]) => name)).toEqual([
    ...['FROM', 'ARG', 'WORKDIR', 'COPY', 'RUN', 'USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
  ])
  const app = await mkdtemp(join(tmpdir(), 'container-'))
  onTestFinished(() => rm(app, { recursive: true, force: true }))
  expect(of('COPY')).toBe('Dockerfile *.tgz ./')
  await copyFile(packed.tarball, join(app, basename(packed.tarball)))
  await runOrThrow('sh', ['-c', `${of('ARG')}; ${of('RUN')}`], {
    cwd: app,
    variables: { npm_config_prefer_offline: 'true' },
  })

  const [command = '', ...args] = [of('ENTRYPOINT'), of('CMD')].flatMap(
    (list) => JSON.parse(list) as string[],
  )
  // Free ports, and a simulator in place of a service.
  const free = ['--port', '0', '--metrics-port', '0', '--simulate']
  const gateway = spawn(command, [...args, ...free], { cwd: app, env: userEnvironment() })
  onTestFinished(() => void gateway.kill('SIGKILL'))
  let stdout = ''
  gateway.stdout.on('data', (chunk) => (stdout += String(chunk)))
  const portOf = (pattern: RegExp): string => pattern.exec(stdout)?.[1] ?? ''
  await eventually(() => expect(portOf(/SVC_GATEWAY=\S+:(\d+)/)).not.toBe(''))
  const health = of('HEALTHCHECK').replace(/^.* CMD /, '')
  const port = portOf(/SVC_GATEWAY=\S+:(\d+)/)
  await runOrThrow('sh', ['-c', health.replace(':8080', `:${port}`)], { cwd: app })
  expect(await (await fetch(`http://127.0.0.1:${portOf(/:(\d+)\/metrics/)}/metrics`)).text()).toContain(
    'svc_streams_gateway_up',
  )
  const exit = once(gateway, 'exit')
  gateway.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

import { expect, it, onTestFinished } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { compiledPath, spawnCommand } from '../support/process/node-process.js'
import { startGatewayInProcess } from './support/start-in-process.js'

const program = compiledPath('test/nats/programs/descriptors.ts')

describeNats('a client and a gateway without free file descriptors', () => {
  it('connect when there are some', async () => {
    const server = await startNatsServer({ onFinished: onTestFinished })
    await startGatewayInProcess({ servers: server.url })
    const command = `ulimit -n 64; exec "${process.execPath}" "${program}" "${server.url}"`
    const child = spawnCommand(['sh', '-c', command])
    expect(await child.waitForExit(), child.output).toBe(0)
    const [first, ...others] = child.stdout.trim().split('\n')
    expect(first).toContain('EMFILE')
    expect(others.at(-1)).toBe('price')
  })
})

import { beforeAll, describe, expect, inject, test } from 'vitest'
import { sourceByEntryPoint } from '../../scripts/entry-points.js'
import { entryPoints, folderFor, optionalPeers } from './support/packed.js'
import { installedCommand, run, type Run } from './support/run.js'

const packed = inject('packed')

/** The exports that the client's entry points must have, for Node and for a browser. */
const ofClient = [
  'ConfigurationError',
  'createClient',
  'decodeDepth',
  'decodeFrame',
  'decodePriceText',
  'defineTokens',
  'DepthBody',
  'encodeDepth',
  'formatQuantity',
  'isAddress',
  'isTopic',
  'isLeft',
  'isRight',
  'match',
  'matchError',
  'parseAddress',
  'parseQuantity',
  'parseTopic',
  'PriceUpdate',
  'renderError',
  'signRequest',
  'SubscriptionConfirmation',
  'topicOf',
]

/** The exports that each entry point must have; it may have others. */
const required: Readonly<Record<(typeof entryPoints)[number], readonly string[]>> = {
  'svc-streams': ofClient,
  'svc-streams/browser': ofClient,
  'svc-streams/operators': [
    'candles',
    'combineFresh',
    'conflate',
    'filterRight',
    'freshWithin',
    'iterate',
    'lefts',
    'mapRight',
    'orThrow',
    'rights',
    'scanRight',
    'switchMapRight',
    'tapLeft',
    'withPast',
  ],
  'svc-streams/testing': ['createTestClient', 'depth', 'price'],
  'svc-streams/recording': ['record', 'replay'],
  'svc-streams/store': ['depthStore', 'priceStore'],
  'svc-streams/history': ['openHistory', 'withPast'],
  'svc-streams/paper': [
    'cancel',
    'closePosition',
    'journalEvents',
    'limit',
    'market',
    'paper',
    'renderReport',
    'roundTripsOf',
    'stop',
    'summary',
    'summaryOf',
    'target',
    'trailingStop',
  ],
  'svc-streams/simulator': ['startSimulator', 'startTcpProxy'],
  'svc-streams/opentelemetry': ['instrument'],
  'svc-streams/gateway': ['GatewayError', 'startGateway'],
  'svc-streams/nats': ['natsClient', 'startNatsGateway'],
  'svc-streams/sweep': ['sweep', 'walkForward$'],
}

describe.each(entryPoints)('%s under plain Node', (entryPoint) => {
  /** Runs a program that prints the exports of the entry point. */
  const printExports = (loader: 'import.mjs' | 'require.cjs'): Promise<Run> =>
    run('node', [`programs/exports-by-${loader}`, entryPoint], {
      cwd: folderFor(entryPoint, packed),
      timeout: 20_000,
    })

  let byImport: Run
  let imported: readonly string[]
  beforeAll(async () => {
    byImport = await printExports('import.mjs')
    imported = JSON.parse(byImport.stdout) as string[]
  })

  test('has the required exports, by import and by require', async () => {
    expect(imported).toEqual(expect.arrayContaining([...required[entryPoint]]))
    expect(await printExports('require.cjs')).toEqual({ code: 0, stdout: byImport.stdout, stderr: '' })
  })

  test('has the exports of its source', async () => {
    const source = (await import(/* @vite-ignore */ `../../${sourceByEntryPoint.get(entryPoint)!}`)) as object
    expect(imported).toEqual(Object.keys(source).sort())
  })

  test('writes no output and lets the process exit when it is imported', () => {
    // The program itself writes one line.
    expect(byImport).toEqual({ code: 0, stdout: `${JSON.stringify(imported)}\n`, stderr: '' })
  })
})

test.each(Object.entries(optionalPeers))(
  '%s names its missing peer %s, which no other entry point needs',
  async (entryPoint, peer) => {
    const script = `await import('${entryPoint}')`
    const { stderr } = await run('node', ['--input-type=module', '-e', script], { cwd: packed.user })
    expect(stderr).toContain(`ERR_MODULE_NOT_FOUND`)
    expect(stderr).toContain(peer)
  },
)

test('--nats without @nats-io/transport-node says what to install, and so does doctor', async () => {
  const cli = (...args: readonly string[]) =>
    run(installedCommand(packed.user, 'svc-streams'), [...args, '--nats', 'nats://127.0.0.1:1'], {
      cwd: packed.user,
    })
  const problem =
    /--nats needs the package @nats-io\/transport-node\. Install it: npm install @nats-io\/transport-node\. .*\n/
  expect((await cli('price', '0xab')).stderr).toMatch(problem)
  expect((await cli('doctor')).stderr).toMatch(problem)
})

test('an import of a module that is not an entry point fails', async () => {
  const script = "await import('svc-streams/dist/client/create-client.js')"
  const { stderr } = await run('node', ['--input-type=module', '-e', script], { cwd: packed.user })
  expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
})

test('a program and the library share one instance of rxjs, fp-ts, io-ts and of each module of the library', async () => {
  const { code, stdout, stderr } = await run('node', ['programs/instances.mjs'], { cwd: packed.user })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    'status$ is an Observable of the program': true,
    'a test client has Observables of the program': true,
    'the codecs are codecs of the program': true,
    'require and import return the same exports': true,
    'a ConfigurationError is the same in every entry point': true,
    'loaded copies': { rxjs: 1, 'fp-ts': 1, 'io-ts': 1 },
  })
})

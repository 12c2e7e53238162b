import { describe, expect, inject, test } from 'vitest'
import { doors, sourceOf } from './support/packed.js'
import { run, runWell } from './support/run.js'

const packed = inject('packed')

/** What every version of a door has; it may have more. */
const promised: Readonly<Record<(typeof doors)[number], readonly string[]>> = {
  'svc-streams': [
    'ConfigurationError',
    'createClient',
    'decodeDepth',
    'decodeFrame',
    'decodePriceText',
    'DepthBody',
    'matchError',
    'parseTopic',
    'PriceUpdate',
    'renderError',
    'signRequest',
    'SubscriptionConfirmation',
    'topicOf',
  ],
  'svc-streams/operators': [
    'candles',
    'combineFresh',
    'conflate',
    'freshWithin',
    'lefts',
    'mapRight',
    'orThrow',
    'rights',
    'tapLeft',
  ],
  'svc-streams/testing': ['createTestClient', 'depth', 'price', 'scriptedSocket'],
  'svc-streams/recording': ['record', 'replay'],
  'svc-streams/simulator': ['startSimulator', 'startTcpProxy'],
}

describe.each(doors)('%s under plain Node', (door) => {
  const exportsBy = async (how: 'import.mjs' | 'require.cjs'): Promise<readonly string[]> =>
    JSON.parse(await runWell('node', [`programs/exports-by-${how}`, door], { cwd: packed.user })) as string[]

  test('has what is promised, by import and by require', async () => {
    const [imported, required] = await Promise.all([exportsBy('import.mjs'), exportsBy('require.cjs')])
    expect(imported).toEqual(expect.arrayContaining([...promised[door]]))
    expect(required).toEqual(imported)
  })

  test('has what its source exports', async () => {
    const source = (await import(`../../src/${sourceOf(door)}`)) as object
    expect(await exportsBy('import.mjs')).toEqual(Object.keys(source).sort())
  })

  test('opens nothing and says nothing when it is imported', async () => {
    const script = `await import('${door}')`
    expect(
      await run('node', ['--input-type=module', '-e', script], { cwd: packed.user, timeout: 20_000 }),
    ).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })
})

test('what is not a door is closed', async () => {
  const script = "await import('svc-streams/dist/client.js')"
  const { stderr } = await run('node', ['--input-type=module', '-e', script], { cwd: packed.user })
  expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
})

test('the program and the library share one rxjs, one fp-ts, one io-ts, and one of everything of the library', async () => {
  const facts = JSON.parse(await runWell('node', ['programs/instances.mjs'], { cwd: packed.user })) as object
  expect(facts).toEqual({
    'status$ is an Observable of the program': true,
    'a test client has Observables of the program': true,
    'the codecs are codecs of the program': true,
    'what require gives is what import gives': true,
    'a ConfigurationError is the same through every door': true,
    'copies that were loaded': { rxjs: 1, 'fp-ts': 1, 'io-ts': 1 },
  })
})

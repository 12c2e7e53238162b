import type { Command } from 'commander'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import { from, lastValueFrom, map, reduce, startWith, type Observable } from 'rxjs'
import { startSimulator, type Simulator } from '../../simulator/index.js'
import { failed, passed, skipped } from '../doctor/check.js'
import { resultJson, resultLine } from '../doctor/result-line.js'
import { checks, runChecks$, type NamedResult } from '../doctor/run-checks.js'
import { createTarget, type OptionsProblem, type Target } from '../doctor/target.js'
import type { DeploymentFlags } from '../input/deployment-flags.js'
import { usageError } from '../input/deployment.js'
import { selectedFlags } from '../input/selected-flags.js'
import { coloursFor } from '../output/colours.js'
import { parseTokensVariable } from '../tokens/tokens-variable.js'

/** The flags, as commander names and parses them. */
export interface DoctorFlags {
  /** In ms. */
  readonly timeout: number
  readonly json?: boolean
}

/** Runs the checks of the service, or of a simulator. */
export const diagnose = async (command: Command, flags: DoctorFlags): Promise<void> => {
  const selected = selectedFlags(command)
  if (isLeft(selected)) return usageError(command, selected.left)
  const simulator = selected.right.simulate === undefined ? undefined : await startSimulator()
  try {
    await printChecks(
      { ...selected.right, ...(simulator === undefined ? {} : addressesOf(simulator)) },
      flags,
    )
  } finally {
    await simulator?.close()
  }
}

const addressesOf = ({ baseUrl, priceBaseUrl, priceWsUrl, authKey }: Simulator) => ({
  baseUrl,
  priceBaseUrl,
  priceWsUrl,
  authKey,
})

/** Prints the result of each check. Throws if one failed. */
const printChecks = async (
  deployment: DeploymentFlags,
  { json = false, timeout }: DoctorFlags,
): Promise<void> => {
  const tokens = parseTokensVariable(process.env['SVC_TOKENS'] ?? '', [])
  const target = isLeft(tokens)
    ? left({ problem: tokens.left, advice: 'Correct the environment variable.' })
    : await createTarget(deployment, timeout)
  const colours = coloursFor(process.stdout)
  const result$: Observable<NamedResult> = isLeft(target)
    ? invalidOptions$(target.left)
    : runChecks$(target.right).pipe(startWith({ name: 'options', result: passed(optionsText(target.right)) }))
  const failures$ = result$.pipe(
    map((named) => {
      process.stdout.write(`${json ? resultJson(named) : resultLine(named, colours)}\n`)
      return named.result.result === 'failed' ? 1 : 0
    }),
    reduce((sum, failures) => sum + failures, 0),
  )
  const failures = await lastValueFrom(failures$).finally(() =>
    isLeft(target) ? undefined : target.right.close(),
  )
  if (failures > 0) throw new Error(`${failures} of ${checks.length + 1} checks failed`)
}

const invalidOptions$ = ({ problem, advice }: OptionsProblem): Observable<NamedResult> =>
  from([
    { name: 'options', result: failed(problem, advice, []) },
    ...checks.map(({ name }) => ({ name, result: skipped('options failed') })),
  ])

/** The addresses without their paths and queries, which may contain a secret. */
const optionsText = ({ priceHttp, priceSocket, relayer, signingClient }: Target): string =>
  [
    `prices ${originOf(priceHttp.url)} and ${originOf(priceSocket.url)}`,
    `depth ${relayer === undefined ? 'without an address' : originOf(relayer.url)}`,
    signingClient === undefined ? 'no key' : 'a key',
  ].join(', ')

const originOf = ({ protocol, host }: URL): string => `${protocol}//${host}`

import type { Command } from 'commander'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import {
  concatMap,
  defer,
  from,
  lastValueFrom,
  map,
  of,
  reduce,
  startWith,
  take,
  tap,
  type Observable,
} from 'rxjs'
import { assertNever } from '../../base/domain/assert-never.js'
import { escapeUnsafe } from '../../base/errors/text.js'
import { startSimulator } from '../../simulator/index.js'
import { failed, passed, skipped, type Check, type CheckResult } from '../doctor/check.js'
import { networkChecks } from '../doctor/network-checks.js'
import { serviceChecks } from '../doctor/service-checks.js'
import { createTarget, type Interface, type OptionsProblem, type Target } from '../doctor/target.js'
import { serviceOfSimulator } from '../input/open-source.js'
import { resolveSource, type Source } from '../input/source.js'
import type { Io } from '../io.js'
import { outputJson } from '../output/json.js'
import { coloursFor, numberFormat, type Colours } from '../output/terminal.js'
import { orUsageError } from '../run.js'
import { parseTokensVariable } from '../tokens/select-tokens.js'

interface DoctorFlags {
  /** In ms. */
  readonly timeout: number
  readonly json?: boolean
}

export const diagnose = async (io: Io, command: Command, flags: DoctorFlags): Promise<void> => {
  const source = orUsageError(command, resolveSource(command))
  if (source._tag !== 'Simulator') return printChecks(io, source, flags)
  const simulator = await startSimulator()
  await printChecks(io, serviceOfSimulator(simulator, source.environment), flags).finally(() =>
    simulator.close(),
  )
}

/** Prints the result of each check. Throws if one failed. */
const printChecks = async (io: Io, source: Source, { json = false, timeout }: DoctorFlags): Promise<void> => {
  const tokens = parseTokensVariable(io.env['SVC_TOKENS'] ?? '', [])
  const target = isLeft(tokens)
    ? left({ problem: tokens.left, advice: 'Correct the environment variable.' })
    : await createTarget(source, timeout, numberFormat(json ? {} : io.stdout))
  const colours = coloursFor(io.stdout, io.env)
  const result$: Observable<NamedResult> = isLeft(target)
    ? invalidOptions$(target.left)
    : runChecks$(target.right).pipe(startWith({ name: 'options', result: passed(optionsText(target.right)) }))
  const failures$ = result$.pipe(
    map((named) => {
      io.stdout.write(`${json ? resultJson(named) : resultLine(named, colours)}\n`)
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

/** The addresses. Their paths and queries, which may contain a secret, are shown as `/…`. */
const optionsText = ({ priceHttp, priceSocket, relayer, signingClient }: Target): string =>
  [
    `prices ${originOf(priceHttp.url)} and ${originOf(priceSocket.url)}`,
    `depth ${relayer === undefined ? 'without an address' : originOf(relayer.url)}`,
    signingClient === undefined ? 'no key' : 'a key',
  ].join(', ')

const originOf = ({ protocol, host, pathname, search }: URL): string =>
  `${protocol}//${host}${['', '/'].includes(pathname + search) ? '' : '/…'}`

/** The checks after that of the options, in this order. */
const checks: readonly Check[] = [...networkChecks, ...serviceChecks]

interface NamedResult {
  readonly name: string
  readonly result: CheckResult
}

/** Runs the checks one after the other. An interface that has failed is not checked again. */
const runChecks$ = (target: Target): Observable<NamedResult> =>
  defer(() => {
    /** The name of the check that failed, by interface. */
    const failures = new Map<Interface, string>()
    return from(checks).pipe(
      concatMap((check) =>
        result$(check, target, failures).pipe(
          take(1),
          tap((result) => {
            if (result.result === 'failed') for (const each of result.failed) failures.set(each, check.name)
          }),
          map((result) => ({ name: check.name, result })),
        ),
      ),
    )
  })

const result$ = (
  check: Check,
  target: Target,
  failures: ReadonlyMap<Interface, string>,
): Observable<CheckResult> => {
  const interfaces = check.interfaces(target)
  if (isLeft(interfaces)) return of(skipped(interfaces.left))
  const usable = interfaces.right.filter((each) => !failures.has(each))
  if (usable.length > 0) return check.run$(usable, target)
  const names = new Set(interfaces.right.map((each) => failures.get(each)))
  return of(skipped(`${[...names].join(' and ')} failed`))
}

const nameWidth = Math.max(...checks.map(({ name }) => name.length))

const resultLine = ({ name, result }: NamedResult, colours: Colours): string =>
  [
    name.padEnd(nameWidth),
    paint(result, colours)(result.result.padEnd(7)),
    escapeUnsafe(resultText(result)),
  ].join('  ')

const resultJson = ({ name, result }: NamedResult): string => {
  const fields = result.result === 'failed' ? { ...result, failed: undefined } : result
  return outputJson({ check: name, ...fields })
}

const resultText = (result: CheckResult): string => {
  switch (result.result) {
    case 'ok':
      return result.measured
    case 'failed':
      return `${result.problem}. ${result.advice}`
    case 'skipped':
      return result.reason
    default:
      return assertNever(result)
  }
}

const paint = ({ result }: CheckResult, { live, failed, dim }: Colours) =>
  ({ ok: live, failed, skipped: dim })[result]

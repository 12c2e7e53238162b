import { assertNever } from '../../domain/assert-never.js'
import { escapeUnsafe } from '../../errors/text.js'
import type { Colours } from '../output/colours.js'
import { checks, type NamedResult } from './run-checks.js'
import type { CheckResult } from './check.js'

const nameWidth = Math.max(...checks.map(({ name }) => name.length))

/** The result of a check as one line. */
export const resultLine = ({ name, result }: NamedResult, colours: Colours): string =>
  [
    name.padEnd(nameWidth),
    paint(result, colours)(result.result.padEnd(7)),
    escapeUnsafe(resultText(result)),
  ].join('  ')

/** The result of a check as one line of JSON. */
export const resultJson = ({ name, result }: NamedResult): string => {
  const fields = result.result === 'failed' ? { ...result, failed: undefined } : result
  return escapeUnsafe(JSON.stringify({ check: name, ...fields }))
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

import { ConfigurationError } from '../errors/configuration-error.js'
import type { FileUrl } from '../recording/read/source.js'

/** The URL of a strategy's module, as text. Throws a `ConfigurationError` for any other value. */
export const strategyUrl = (strategy: string | FileUrl): string => {
  const href: unknown =
    typeof strategy === 'object' && (strategy as unknown) !== null ? strategy.href : strategy
  if (typeof href === 'string' && URL.canParse(href) && protocols.includes(new URL(href).protocol))
    return href
  throw new ConfigurationError(
    'strategy',
    "expected the file: URL of a module, such as import.meta.resolve('./strategy.js'); " +
      'pathToFileURL of node:url makes one of a path',
  )
}

const protocols: readonly string[] = ['file:', 'data:']

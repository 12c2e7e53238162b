import pc from 'picocolors'

export type Colours = Omit<typeof pc, 'createColors' | 'isColorSupported'>

/** Where a text goes. */
export interface Sink {
  readonly isTTY?: boolean
}

type Environment = Readonly<Partial<Record<string, string>>>

/**
 * Colours on a terminal, and none elsewhere; NO_COLOR takes them away, FORCE_COLOR brings them. The package's own rule
 * has them in the pipes of a CI, too, and on Windows everywhere.
 */
export const coloursFor = (sink: Sink, environment: Environment = process.env): Colours =>
  pc.createColors(wantsColours(sink, environment))

const wantsColours = ({ isTTY = false }: Sink, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean => {
  if (isSet(NO_COLOR)) return false
  return isSet(FORCE_COLOR) ? FORCE_COLOR !== '0' : isTTY && TERM !== 'dumb'
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

import pc from 'picocolors'

type Paint = (text: string) => string

/** The colours of the output, by meaning. */
export interface Colours {
  readonly live: Paint
  readonly waiting: Paint
  readonly failed: Paint
  readonly rising: Paint
  readonly falling: Paint
  /** For headings and for values that are not current. */
  readonly dim: Paint
  readonly token: Paint
}

/** The part of an output stream that decides about colours. */
export interface Sink {
  readonly isTTY?: boolean
}

type Variables = Readonly<Partial<Record<string, string>>>

/**
 * Colours on a terminal and none elsewhere; NO_COLOR disables and FORCE_COLOR enables them. The default of picocolors
 * would also colour pipes in CI, and everything on Windows.
 */
export const coloursFor = (sink: Sink, variables: Variables = process.env): Colours => {
  const { green, yellow, red, dim, bold } = pc.createColors(hasColours(sink, variables))
  return { live: green, waiting: yellow, failed: red, rising: green, falling: red, dim, token: bold }
}

const hasColours = ({ isTTY = false }: Sink, { NO_COLOR, FORCE_COLOR, TERM }: Variables): boolean => {
  if (isSet(NO_COLOR)) return false
  return isSet(FORCE_COLOR) ? FORCE_COLOR !== '0' : isTTY && TERM !== 'dumb'
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

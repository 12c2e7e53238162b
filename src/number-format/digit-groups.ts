/** A number as decimal text, in groups of three digits before the decimal point. Together they are the number. */
export interface DigitGroups {
  /** Three digits each; the first has one to three, and the sign. */
  readonly whole: readonly string[]
  /** The decimal point and what follows; empty for an integer. */
  readonly fraction: string
}

/** `decimal`: a number, in plain or in scientific notation. */
export const digitGroups = (decimal: string): DigitGroups => {
  const [, whole = '', fraction = ''] = /^(-?\d*)(.*)$/.exec(decimal) ?? []
  return { whole: whole.split(/\B(?=(?:\d{3})+$)/), fraction }
}

/** The number as a program reads it. */
export const withoutSeparators = (groups: DigitGroups): string => joined(groups, '')

/** For a terminal, where each character is as wide as a digit. */
export const withCommas = (groups: DigitGroups): string => joined(groups, ',')

/** For the page of the dashboard, which has narrow spaces. */
export const withNarrowSpaces = (groups: DigitGroups): string => joined(groups, '\u202f')

const joined = ({ whole, fraction }: DigitGroups, separator: string): string =>
  `${whole.join(separator)}${fraction}`

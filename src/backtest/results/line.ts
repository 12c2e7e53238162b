// The lines of charts as paths: of the SVG of a report and of a table, and of the canvas of the dashboard.

/** A value at a time. `undefined`: none, a gap in the line. */
export interface Point {
  readonly at: number
  readonly value: number | undefined
}

/** Where a time and a value are in a drawing. */
export interface Place {
  readonly x: (at: number) => number
  readonly y: (value: number) => number
}

/** The parts of a line between its gaps. A part ends where the gap begins if its last value holds until then. */
export const partsOf = (points: readonly Point[], holds = false): readonly (readonly Drawn[])[] => {
  const parts: Drawn[][] = [[]]
  for (const { at, value } of points) {
    const part = parts.at(-1)
    const last = part?.at(-1)
    if (value !== undefined) part?.push({ at, value })
    else if (last !== undefined) {
      if (holds) part?.push({ at, value: last.value })
      parts.push([])
    }
  }
  return parts.filter(({ length }) => length > 0)
}

export interface Drawn {
  readonly at: number
  readonly value: number
}

/** The path of a part. `holds`: each value is valid until the next one, in a line of steps. */
export const pathOf = (part: readonly Drawn[], { x, y }: Place, holds = false): string => {
  const [first, ...others] = part
  if (first === undefined) return ''
  const steps = others.map(({ at, value }) =>
    holds ? `H${round(x(at))}V${round(y(value))}` : `L${round(x(at))},${round(y(value))}`,
  )
  return `M${round(x(first.at))},${round(y(first.value))}${steps.join('') || 'h0'}`
}

/** The area between a part and a height. */
export const areaOf = (part: readonly Drawn[], place: Place, bottom: number, holds = false): string => {
  const [first, last] = [part[0], part.at(-1)]
  if (first === undefined || last === undefined) return ''
  const [left, right] = [round(place.x(first.at)), round(place.x(last.at))]
  return `M${left},${round(bottom)}L${pathOf(part, place, holds).slice(1)}L${right},${round(bottom)}Z`
}

export const round = (value: number): string => String(Math.round(value * 10) / 10)

/** The colours of a chart, from the style sheet. */
export interface ChartColours {
  readonly line: string
  readonly fill: string
  readonly text: string
  readonly grid: string
  readonly gap: string
}

/** Reads the colours of the current theme. */
export const readColours = (element: Element): ChartColours => {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(`--chart-${name}`).trim()
  return {
    line: colour('line'),
    fill: colour('fill'),
    text: colour('text'),
    grid: colour('grid'),
    gap: colour('gap'),
  }
}

/** Calls back when the system changes between dark and light. */
export const onThemeChange = (callback: () => void): void =>
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback)

import { escapeHtml } from '../format.js'

// The elements of a chart, which a report contains and the dashboard creates. Without styles of elements: a strict policy of
// content refuses them. Lines are stretched to the size of the chart, and texts are not.

/** In CSS pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The paths of a chart, from the back to the front. The marks are between them: they never hide the line. */
const [back, front] = [
  ['gaps', 'area', 'grid', 'up', 'down'],
  ['line', 'levels', 'last', 'selection', 'crosshair', 'dots'],
] as const

/** Groups, and what is beside the lines. `widest`: the longest label, as wide as the axis. */
const others = ['marks', 'others', 'none', 'values', 'times', 'widest'] as const

/** The contents of the elements of a chart, by their classes: the data of paths, and the markup of the others. */
export type Layers = Readonly<Record<(typeof back | typeof front | typeof others)[number], string>>

export const noLayers = {
  ...Object.fromEntries([...back, ...front, ...others].map((name) => [name, ''])),
  none: '<text x="50%" y="50%">No prices</text>',
} as Layers

/** `label`: what a screen reader announces. `size`: the coordinates of the paths. */
export const chartHtml = (
  label: string,
  { width, height }: Size,
  layers = noLayers,
  className = '',
): string => {
  const group = (name: 'marks' | 'others' | 'none'): string => `<g class="${name}">${layers[name]}</g>`
  const pathsOf = (names: typeof back | typeof front): string =>
    `<svg aria-hidden="true" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${names === front ? group('others') : ''}${names
      .map((name) => `<path class="${name}" d="${layers[name]}"/>`)
      .join('')}</svg>`
  return `<div class="plot${className}"><svg class="chart" role="img" aria-label="${escapeHtml(label)}">${pathsOf(back)}${group('marks')}${pathsOf(front)}${group('none')}</svg>
<svg class="values" aria-hidden="true">${layers.values}</svg><span class="widest" aria-hidden="true">${layers.widest}</span>
<svg class="times" aria-hidden="true">${layers.times}</svg></div>`
}

/** Shapes that charts refer to: once in a page. */
export const shapesHtml =
  '<svg class="shapes" aria-hidden="true"><defs><path id="buy" d="M0 0L-6 10H6Z"/><path id="sell" d="M0 0L-6-10H6Z"/><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M2.5 0V5"/></pattern></defs></svg>'

export const percent = (share: number): string => `${Math.round(share * 1e4) / 100}%`

/** `x` and `y`: CSS pixels, or a share of the drawing. */
export const textHtml = (x: string, y: string, text: string): string =>
  `<text x="${x}" y="${y}">${escapeHtml(text)}</text>`

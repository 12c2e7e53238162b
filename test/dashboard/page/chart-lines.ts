import type { Page } from 'playwright-core'
import { weth } from '../../support/tokens.js'

/** Where the chart of ETH has a line: shares of its width, from each start to its end. */
export const linesOf = (page: Page): Promise<readonly (readonly [from: number, to: number])[]> =>
  page.evaluate((selector) => {
    const chart = document.querySelector(selector)
    const canvas = chart?.querySelector('canvas')
    const context = canvas?.getContext('2d')
    if (!chart || !canvas || !context) return []
    context.fillStyle = getComputedStyle(chart).getPropertyValue('--chart-line').trim()
    const [red, green, blue] = (/\w\w/g[Symbol.match](context.fillStyle) ?? []).map((hex) =>
      parseInt(hex, 16),
    )
    // Without the axes, whose texts may have the same colour: 70 px at the right, 20 px at the bottom.
    const width = Math.floor(canvas.width - 74 * devicePixelRatio)
    const height = Math.floor(canvas.height - 22 * devicePixelRatio)
    const { data } = context.getImageData(0, 0, width, height)
    const isLine = (pixel: number): boolean =>
      data[pixel] === red && data[pixel + 1] === green && data[pixel + 2] === blue && data[pixel + 3] === 255
    const hasLine = (x: number): boolean =>
      Array.from({ length: height }, (_, y) => 4 * (y * width + x)).some(isLine)
    const lines: [number, number][] = []
    for (let x = 0; x < width; x += 1) {
      if (!hasLine(x)) continue
      const last = lines.at(-1)
      if (last?.[1] === x / width) last[1] = (x + 1) / width
      else lines.push([x / width, (x + 1) / width])
    }
    return lines.filter(([start, end]) => end - start > 0.01)
  }, `[data-token="${weth}"] .chart`)

/**
 * The script of a page: a crosshair on each chart, which the pointer and the keys move, and the time and the value at it. It is text,
 * because a compiler would change it: the page allows this script alone, by its hash.
 */
export const script = `
for (const plot of document.querySelectorAll('.plot[data-times]')) {
  let sum = 0
  const times = plot.dataset.times.split(',').map((step) => (sum += Number(step)))
  const values = plot.dataset.values.split('|')
  const last = times.length - 1
  const part = (name) => plot.appendChild(Object.assign(document.createElement('div'), { className: name }))
  const [line, readout, slider] = [part('crosshair'), part('readout'), part('slider')]
  slider.tabIndex = 0
  slider.role = 'slider'
  slider.ariaLabel = 'Time on the chart ' + plot.dataset.name
  let index
  const show = (next) => {
    index = next
    line.hidden = readout.hidden = index === undefined
    const at = index ?? last
    const share = (times[at] - times[0]) / (times[last] - times[0] || 1)
    const text = new Date(times[at]).toISOString().slice(0, 19).replace('T', ' ') + ' · ' + (values[at] || 'none')
    line.style.left = share * 100 + '%'
    readout.classList.toggle('left', share > 0.5)
    readout.textContent = text
    slider.ariaValueMin = '0'
    slider.ariaValueMax = String(last)
    slider.ariaValueNow = String(at)
    slider.ariaValueText = text
  }
  slider.addEventListener('pointermove', ({ offsetX }) => {
    const time = times[0] + (offsetX / slider.clientWidth) * (times[last] - times[0])
    const next = times.findIndex((each) => each >= time)
    const isAfter = next > 0 && time - times[next - 1] < times[next] - time
    show(next < 0 ? last : next - Number(isAfter))
  })
  slider.addEventListener('pointerleave', () => show())
  slider.addEventListener('focus', () => slider.matches(':focus-visible') && show(last))
  slider.addEventListener('blur', () => show())
  slider.addEventListener('keydown', (event) => {
    const at = index ?? last
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - 20, PageUp: at + 20, Home: 0, End: last }
    if (event.key === 'Escape') show()
    if (moves[event.key] === undefined) return
    event.preventDefault()
    show(Math.min(last, Math.max(0, moves[event.key])))
  })
  show()
}
`

/** The SHA-256 of the script. */
export const scriptHash = 'sha256-l7fjy0dRX+KPhSsv1kb4mvlPKUm6VzlgLS+xRWKEy7E='

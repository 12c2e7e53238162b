import { timer } from 'rxjs'
import { shapesHtml } from '../../view/chart/chart-html.js'
import { rxClock } from '../../base/time/clock.js'
import { healthOf, type PageHealth } from '../../view/health.js'
import { ranges } from '../../view/samples.js'
import type { PageConfig, PageEvent } from '../../view/served.js'
import { PageStore } from '../../view/page-store.js'
import { pageTitle, parseThresholds, type Thresholds } from '../../view/threshold.js'
import { arranged, formatView, parseView, withPin, type View } from '../../view/view.js'
import type { WatchedToken } from '../../view/watched-token.js'
import { ThresholdDialog } from './threshold-dialog.js'
import { CardElement } from './card-element.js'
import { EventList } from './event-list.js'
import { fromHtml, part, partsOf, setAttribute, setChildren, setText } from './html.js'
import { RowElement, TableElement } from './table-element.js'
import { stored, toggleTheme } from './theme.js'
import type { TokenActions } from './token-element.js'
import { Toolbar } from './toolbar.js'

/** Interval at which ages are counted up, and rows are sorted again, in ms. */
const tickInterval = 1000

/** Minimum time between two frames, in ms: a person cannot read numbers that change faster. */
const paintInterval = 100

/** A token with its elements. */
interface Shown {
  readonly watched: WatchedToken
  readonly card: CardElement
  readonly row: RowElement
}

/** The view of the page: renders what has changed in its store. */
export class DashboardPage {
  readonly #config: PageConfig
  /** True while prices may be too old: after a suspend, the client waits for an answer before its topics are stale. */
  readonly #isLate: () => boolean
  readonly #store: PageStore
  readonly #tokens: readonly Shown[]
  readonly #header = fromHtml(headerHtml)
  readonly #headerPart = partsOf(this.#header)
  readonly #main = fromHtml(
    '<main><div class="cards"></div><p class="none" hidden>No token matches the filter.</p></main>',
  )
  readonly #mainPart = partsOf(this.#main)
  readonly #toolbar: Toolbar
  readonly #table: TableElement
  readonly #log = new EventList('Events')
  readonly #fillList = new EventList('Fills')
  readonly #dialog = new ThresholdDialog()
  #view: View
  #thresholds: Thresholds
  /** The tokens that are shown, in their order. */
  #arranged: readonly Shown[] = []
  #isArrangementDue = true
  #isRequested = false
  #isTickDue = true
  #paintedAt = -Infinity

  constructor(root: HTMLElement, config: PageConfig, isLate: () => boolean) {
    this.#config = config
    this.#isLate = isLate
    this.#store = new PageStore(config)
    this.#view = this.#readView()
    this.#thresholds = parseThresholds(stored(() => localStorage.getItem(keyOf(config))) ?? null)
    const onView = (change: (view: View) => View): void => this.#setView(change(this.#view))
    const actions: TokenActions = {
      onPin: ({ address }) => onView((view) => withPin(view, address)),
      onThreshold: (token) => this.#askThreshold(token),
    }
    this.#tokens = this.#store.tokens.map((watched) => {
      watched.setThreshold(this.#thresholds[watched.address] ?? {})
      return {
        watched,
        card: new CardElement(watched, actions),
        row: new RowElement(watched, actions),
      }
    })
    this.#toolbar = new Toolbar(onView, toggleTheme)
    this.#table = new TableElement(
      this.#tokens.map(({ row }) => row),
      onView,
    )
    this.#mainPart('.cards').after(this.#table.element)
    setText(this.#headerPart('.host'), config.source)
    setText(this.#headerPart('.tag'), config.label)
    const logs = fromHtml('<footer class="logs"></footer>')
    logs.append(this.#fillList.element, this.#log.element)
    root.append(
      fromHtml(shapesHtml),
      this.#header,
      this.#toolbar.element,
      this.#main,
      logs,
      this.#dialog.element,
    )
    timer(tickInterval, tickInterval).subscribe(() => this.#tick())
    addEventListener('hashchange', () => this.#setView(this.#readView()))
    this.#requestRender()
  }

  receive(event: PageEvent): void {
    const now = rxClock.wallClock()
    const tokens = this.#store.receive(event, now)
    this.#tokens.filter(({ watched }) => tokens.includes(watched)).forEach(invalidate)
    // A hidden page has no frames, and its title is all that a person sees of it.
    this.#renderTitle(now)
    this.#requestRender()
  }

  #tick(): void {
    // Rows do not move while somebody is about to click one.
    if (this.#view.sort !== undefined && !this.#table.isInUse && this.#view.layout === 'table') {
      this.#isArrangementDue = true
    }
    this.#isTickDue = true
    // A hidden page is not rendered.
    this.#checkAge()
    // A depth may be overdue.
    this.#renderTitle(rxClock.wallClock())
    this.#invalidate()
  }

  #checkAge(): void {
    const isLate = this.#isLate()
    for (const shown of this.#tokens) {
      if (shown.watched.isLate !== isLate) invalidate(shown)
      shown.watched.isLate = isLate
    }
  }

  #readView(): View {
    return parseView(location.hash, this.#config.tokens.length)
  }

  #invalidate(): void {
    this.#tokens.forEach(invalidate)
    this.#requestRender()
  }

  #setView(view: View): void {
    this.#view = view
    this.#isArrangementDue = true
    const hash = formatView(view, this.#tokens.length)
    history.replaceState(null, '', hash === '' ? location.pathname : `#${hash}`)
    this.#invalidate()
  }

  #askThreshold(token: WatchedToken): void {
    this.#dialog.open(token, (threshold) => {
      token.setThreshold(threshold ?? {})
      this.#thresholds = { ...this.#thresholds, [token.address]: threshold }
      // If the browser keeps nothing, they last until the page is closed.
      stored(() => localStorage.setItem(keyOf(this.#config), JSON.stringify(this.#thresholds)))
      this.#invalidate()
    })
  }

  /** Renders in an animation frame, at most ten times a second. A browser has no frames for a hidden page. */
  #requestRender(): void {
    if (this.#isRequested) return
    this.#isRequested = true
    timer(Math.max(0, this.#paintedAt + paintInterval - rxClock.elapsed())).subscribe(() =>
      requestAnimationFrame(() => {
        this.#isRequested = false
        this.#paintedAt = rxClock.elapsed()
        this.#render()
      }),
    )
  }

  #render(): void {
    const now = rxClock.wallClock()
    const { pins, layout } = this.#view
    this.#checkAge()
    this.#dialog.render()
    this.#renderHealth(this.#renderTitle(now))
    this.#log.render(this.#store.log)
    this.#fillList.element.hidden = this.#store.fills === undefined
    if (this.#store.fills !== undefined) this.#fillList.render(this.#store.fills)
    if (this.#isArrangementDue) this.#arrange(now)
    for (const { watched, card, row } of this.#arranged) {
      // A row that is not in view is rendered at each tick alone.
      if (layout === 'table' && (this.#isTickDue || row.isInView)) row.render(now, this.#view)
      if (layout === 'cards' || pins.includes(watched.address)) card.render(now, this.#view)
    }
    this.#isTickDue = false
    if (layout === 'table') this.#table.fit()
  }

  #renderTitle(now: number): PageHealth {
    const tokens = this.#tokens.map(({ watched }) => ({
      state: watched.state,
      isDepthCurrent: watched.isDepthCurrent(now),
    }))
    const health = healthOf(this.#store.connection, tokens)
    const reached = this.#tokens.flatMap(({ watched }) => watched.reached ?? [])
    const title = pageTitle(health.problem, reached)
    if (document.title !== title) document.title = title
    return health
  }

  /** A screen reader announces it. */
  #renderHealth({ level, connection, detail, reason }: PageHealth): void {
    setAttribute(this.#headerPart('.health'), 'data-health', level)
    // The mark belongs to the connection, so that it agrees with the word beside it.
    setAttribute(this.#headerPart('.mark'), 'data-health', connection === 'connected' ? 'good' : level)
    setText(this.#headerPart('[data-field]'), connection)
    setText(this.#headerPart('.why'), detail)
    this.#headerPart('.health').title = reason
  }

  #arrange(now: number): void {
    this.#isArrangementDue = false
    this.#isTickDue = true
    const rangeMs = ranges[this.#view.range]
    const figures = this.#tokens.map((shown) => ({ ...shown.watched.figures(now, rangeMs), shown }))
    const { layout, pins } = this.#view
    this.#arranged = arranged(figures, this.#view).map(({ shown }) => shown)
    const isTable = layout === 'table'
    const cards = this.#arranged.filter(({ watched }) => !isTable || pins.includes(watched.address))
    const used = this.#tokens.find(({ card }) => card.element.contains(document.activeElement))
    const area = this.#mainPart('.cards')
    setChildren(
      area,
      cards.map(({ card }) => card.element),
    )
    setAttribute(area, 'data-count', String(cards.length))
    setAttribute(this.#main, 'data-layout', isTable && cards.length > 0 ? 'both' : layout)
    this.#table.arrange(isTable ? this.#arranged.map(({ row }) => row) : [], this.#view)
    // The card of a token that is no longer pinned is gone: the focus goes to the button that pins it again.
    if (used?.card.element.isConnected === false) part(used.row.element, '.pin').focus()
    this.#mainPart('.none').hidden = this.#arranged.length > 0
    this.#toolbar.render(this.#view, this.#arranged.length, this.#tokens.length)
  }
}

const headerHtml = `<header class="top">
  <h1>Live prices</h1>
  <p class="source"><span class="host"></span> <span class="tag"></span></p>
  <p class="health" role="status"><span class="mark" aria-hidden="true"></span><span class="words"><span data-field="connection"></span> <span class="why"></span></span></p>
</header>`

const invalidate = ({ card, row }: Shown): void => {
  card.invalidate()
  row.invalidate()
}

// The thresholds are kept by the browser, for this address of the page.

const keyOf = ({ service, environment }: PageConfig): string => `thresholds ${service} ${environment}`

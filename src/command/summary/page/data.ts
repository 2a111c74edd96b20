// What a summary is, as data: `--json` prints it, the terminal's tables and the page are made of it. Only types stand
// here, so that the page, which runs in a browser, and the command share them.

/** How often something was observed, by what came of it. */
export interface Outcomes {
  /** In the chain of the row's own failure. */
  readonly fatal: number;
  /** Beside the failure of a row, in no part of its chain. */
  readonly alsoObserved: number;
  /** In a row that has no failure of its own. */
  readonly recovered: number;
  readonly total: number;
}

/** Events that have boundary, kind and stage in common. */
export interface KindCount extends Outcomes {
  readonly boundary: string;
  readonly kind: string;
  /** Empty: the events name none. */
  readonly stage: string;
}

/** Events without a cause: where chains begin. */
export interface FirstCause extends Outcomes {
  readonly boundary: string;
  readonly kind: string;
}

/** One event of a chain, as the first row with the chain has it. Texts are short, and safe to show. */
export interface ChainLink {
  readonly boundary: string;
  readonly kind: string;
  readonly stage?: string;
  readonly operation?: string;
  readonly httpStatus?: number;
  readonly eventId: string;
  readonly reason: string;
  readonly foreignError?: string;
  /** The trace's address in Jaeger. */
  readonly url?: string;
  /** Further links stand between this one and the next. */
  readonly more?: true;
}

/** A row that has a chain. */
export interface Example {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly rolloutId?: string;
  readonly url?: string;
}

/** Chains whose events have the same boundaries and kinds. */
export interface Chain extends Outcomes {
  /** The outermost first. */
  readonly links: readonly ChainLink[];
  readonly examples: readonly Example[];
}

/** Counts of rows. */
export interface RowCounts {
  readonly rows: number;
  readonly failed: number;
  /** Of the failed ones: those that name a failure in their own fields and have none in a report. */
  readonly failedWithoutReport: number;
  readonly recovered: number;
  readonly onlyOmitted: number;
  readonly withoutFailures: number;
  /** Rows, of any of the sorts above, whose report lost evidence. */
  readonly omitted: number;
}

/** A list's commonest, and what was counted of the others. */
export interface Commonest<T> {
  readonly list: readonly T[];
  /** Counted of what is not in the list; above 0 the rarer counts of the list may be too low. */
  readonly other: number;
}

/** Which ids of a summary were found in Jaeger. */
export interface JaegerLinks {
  readonly base: string;
  readonly found: number;
  readonly notFound: number;
  /** Ids that were not asked for, because they were too many. */
  readonly notAsked: number;
}

/** What failed in the rows, in numbers. */
export interface Summary {
  readonly files: readonly string[];
  readonly rows: RowCounts;
  readonly events: Outcomes;
  readonly kinds: Commonest<KindCount>;
  readonly firstCauses: Commonest<FirstCause>;
  readonly chains: Commonest<Chain>;
  /** Lines that could not be read. */
  readonly badLines: number;
  readonly jaeger?: JaegerLinks;
}

/** What the page is given. */
export interface PageData extends Summary {
  /** ISO 8601. */
  readonly madeAt: string;
  /** Boundaries in the order in which the chart stacks them. */
  readonly boundaries: readonly string[];
  /** Left out so that the page stays small. */
  readonly leftOut: { readonly kinds: number; readonly chains: number };
}

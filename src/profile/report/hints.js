// Hints: what stands out, and where to look. Rules over the kernel's figures, each with the bound that it has; a
// hint says what was seen, on which lines, and what mostly helps. The largest loss comes first.

function lineText(report, line) {
  return report.source?.[0]?.lines?.[line - 1]?.trim() ?? "";
}

function lineLink(line) {
  return make("a", { href: `#line-${line}`, class: "code" }, `line ${line}`);
}

// The lines with most of something: [{line, part}] of those that have a tenth of it, three at most.
function worstLines(kernel, loss) {
  const losses = kernel.lines.map((one) => ({ line: one.line, lost: Math.max(0, loss(one)) }));
  const all = losses.reduce((sum, one) => sum + one.lost, 0);
  return losses
    .filter((one) => one.lost > 0.1 * all)
    .sort((a, b) => b.lost - a.lost)
    .slice(0, 3)
    .map((one) => ({ line: one.line, part: one.lost / all }));
}

function named(lines) {
  return lines.map((one, index) => [index ? ", " : "", lineLink(one.line), ` (${share(one.part, 0)})`]);
}

const hintRules = [
  {
    name: "Divergence",
    look: (kernel, warp) => {
      const efficiency = figure(kernel, "warp_execution_efficiency")?.value;
      const idle = (one) => amount(one, "issues") * warp * (1 - amount(one, "warp_execution_efficiency", 1));
      return efficiency === undefined ? null : { rank: 1 - efficiency, is: efficiency < 0.8, lines: worstLines(kernel, idle),
        say: `${share(1 - efficiency)} of the lanes of issued warps are idle, because their threads went another way. Most of it: `,
        cure: "Let neighbouring threads take the same way, or turn short branches into guards." };
    },
  },
  {
    name: "Lanes turned off by guards",
    look: (kernel) => {
      const off = figure(kernel, "predicated_off_share")?.value;
      const lost = (one) => amount(one, "predicated_off_share") * amount(one, "issues");
      return off === undefined ? null : { rank: off, is: off > 0.2, lines: worstLines(kernel, lost),
        say: `${share(off)} of the lanes stand at instructions that their guards turn off. Most of it: `,
        cure: "A branch around a long guarded stretch spares the warps of which no lane wants it." };
    },
  },
  {
    name: "Scattered accesses",
    look: (kernel) => {
      const efficiency = figure(kernel, "coalescing_efficiency")?.value;
      const excess = (one) => amount(one, "sectors") * (1 - amount(one, "coalescing_efficiency", 1));
      return efficiency === undefined ? null : { rank: 1 - efficiency, is: efficiency < 0.6, lines: worstLines(kernel, excess),
        say: `Requests to global memory touch ${significant(1 / efficiency, 2)} times the sectors that would hold their bytes. Most of it: `,
        cure: "Let neighbouring lanes access neighbouring addresses; stage other orders in shared memory." };
    },
  },
  {
    name: "Bank conflicts",
    look: (kernel) => {
      const conflicts = amount(kernel, "bank_conflicts"), passes = amount(kernel, "wavefronts");
      return !passes ? null : { rank: conflicts / passes, is: conflicts > 0.1 * passes, lines: worstLines(kernel, (one) => amount(one, "bank_conflicts")),
        say: `${share(conflicts / passes)} of the passes over the banks of shared memory are conflicts. Most of it: `,
        cure: "Pad the rows of a shared array by one element, or let lanes start at different banks." };
    },
  },
  {
    name: "Waiting at barriers",
    look: (kernel) => {
      const wait = figure(kernel, "barrier_wait_share")?.value;
      return wait === undefined ? null : { rank: wait, is: wait > 0.2, lines: [],
        say: `Warps spend ${share(wait)} of their time waiting at barriers.`,
        cure: "Give the warps of a block equal work between barriers, or use fewer barriers." };
    },
  },
  {
    name: "Uneven workers",
    look: (kernel) => {
      const balance = figure(kernel, "parallel_efficiency")?.value;
      return balance === undefined ? null : { rank: 1 - balance, is: balance < 0.8, lines: [],
        say: `A worker is busy for ${share(balance)} of the time of the busiest, on average.`,
        cure: "More and smaller blocks even it out." };
    },
  },
];

function hotLine(report, kernel) {
  const hottest = [...kernel.lines].sort((a, b) => amount(b, "time_share") - amount(a, "time_share"))[0];
  const part = hottest && figure(hottest, "time_share");
  if (!part || part.why || part.value < 0.25) return null;
  return { name: "One line takes most", rank: part.value, say: [lineLink(hottest.line), ` takes ${share(part.value)} of the time in instructions: `, make("code", {}, lineText(report, hottest.line))], cure: null };
}

function partHint(report) {
  const { parts, total_ns: total } = report.wall;
  const part = parts.filter((one) => one.name !== "instructions").sort((a, b) => b.ns - a.ns)[0];
  if (!part || !total || part.ns < 0.25 * total) return null;
  const cures = {
    idle: "The grid has too few blocks for the workers, or one block takes much longer than the others.",
    scheduling: "Blocks are short or meet at barriers often: more work for each thread, or larger blocks, spread that cost.",
    instrumentation: "This is the price of looking; plain runs do not pay it.",
  };
  return { name: `Much ${part.name}`, rank: part.ns / total, say: `${share(part.ns / total)} of the workers’ time is ${part.name}.`, cure: cures[part.name] ?? null };
}

function findHints(report, kernel) {
  const warp = report.options.warp_size || 32;
  const found = hintRules.flatMap((rule) => {
    const seen = rule.look(kernel, warp);
    return seen?.is ? [{ name: rule.name, ...seen, say: [seen.say, named(seen.lines)] }] : [];
  });
  return [hotLine(report, kernel), partHint(report), ...found].filter(Boolean).sort((a, b) => b.rank - a.rank);
}

function hintsView({ report, kernel }) {
  const hints = findHints(report, kernel);
  if (!hints.length) return { content: make("p", { class: "empty" }, "Nothing stands out: no rule found more than its bound.") };
  const item = (hint) => make("li", {}, make("strong", {}, hint.name), make("span", {}, hint.say, hint.cure && make("span", { class: "muted" }, " ", hint.cure)));
  return { content: make("ul", { class: "hints panel" }, hints.map(item)) };
}

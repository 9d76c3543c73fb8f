interface Series {
  readonly name: string;
  readonly points: readonly { readonly runners: number; readonly ms: number }[];
}

/** Draws how long each work takes with so many runners, as an SVG with logarithmic axes. */
export async function drawDurations(
  series: readonly Series[],
  { stacks, endpoints }: { stacks: number; endpoints: number },
): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 760, height: 460 });
  const axis = {
    type: 'log',
    nameLocation: 'middle',
    axisLabel: { color: '#333' },
    nameTextStyle: { color: '#333' },
  };
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    color: ['#0b6e4f', '#2a5caa', '#c0392b'],
    title: {
      text: `Time for ${stacks * endpoints} endpoints in ${stacks} stacks`,
      subtext: 'simulated: one account of 700 requests a minute, operations of 5 s',
      left: 'center',
    },
    legend: { bottom: 0, itemGap: 45 },
    grid: { left: 80, right: 40, top: 75, bottom: 85 },
    xAxis: { ...axis, name: 'runners, each with one stack at a time', nameGap: 28, min: 1 },
    yAxis: { ...axis, name: 'minutes', nameGap: 52, min: 1 },
    series: series.map(({ name, points }) => ({
      type: 'line',
      name,
      symbolSize: 9,
      data: [...points]
        .sort((left, right) => left.runners - right.runners)
        .map(({ runners, ms }) => [runners, ms / 60_000]),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

interface Axis {
  readonly name: string;
  readonly min?: number;
}

/** Draws lines on logarithmic axes, as an SVG. `option` is what echarts needs besides: title, legend and series. */
export async function drawLogChart(x: Axis, y: Axis, option: object): Promise<string> {
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
    grid: { left: 80, right: 40, top: 75, bottom: 85 },
    xAxis: { ...axis, nameGap: 28, ...x },
    yAxis: { ...axis, nameGap: 52, ...y },
    ...option,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

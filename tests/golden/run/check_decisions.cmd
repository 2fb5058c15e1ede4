cat > decides.yaml <<'Y'
program: decides
launch: {grid: [2], block: [64]}
buffers:
  - {name: y, type: f32, count: 64}
code: |
      mov.u32      r0, %tid.x
      cvt.f32.u32  r1, r0
      sin.approx.f32 r2, r1
      setp.gt.f32  p0, r2, 0.5
  @p0 stg.f32      [$y + r0*4], r2
      exit
Y
hexec decides.yaml --check init --quiet; echo "exit code $?"
hexec decides.yaml --check init --json | grep -o '"decisions":.*"count":128}]'
hexec decides.yaml --check init --quiet --report page.html
grep -c 'id="decisions"' page.html
hexec decides.yaml --check memory --quiet

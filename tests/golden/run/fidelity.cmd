hexec run programs/histogram.yaml --json | grep -o '"fidelity":.*' | head -c 60
cat > sum.yaml <<'Y'
program: sum
buffers:
  - {name: sum, type: f32, count: 1}
kernels:
  - name: sum
    code: |
      mov.u32 r0, %tid.x
      cvt.f32.u32 r1, r0
      ex2.approx.f32 r1, r1
      redg.add.f32 [$sum], r1
      setp.eq.u32 p0, r0, 40
      @p0 lg2.f32 r2, r1
      exit
run:
  - {kernel: sum, grid: [2], block: [8]}
Y
hexec run sum.yaml --json | grep -o '"fidelity":\[.*\],"buffers"'
hexec run sum.yaml --verbose | grep fidelity
